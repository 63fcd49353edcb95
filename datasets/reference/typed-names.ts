/**
 * Other names of cities: nicknames, abbreviations, names in neighbouring languages. The gazetteer lacks some, and
 * does not say which of sixty names are used. Written by hand from common usage, for cities that every speaker knows.
 */
import { splitNames } from './area-names.ts'

/** Cities between semicolons: the own name of each, the English one if there is another, and further names. */
const NAMES: Readonly<Record<string, string>> = {
  US: `New York City=NYC=NY City=Nueva York=Nuova York;San Francisco=SF=San Fran=Frisco=SFO;Los Angeles=LA=L.A.;Philadelphia=Philly;Las Vegas=Vegas;
    Washington=DC=Washington DC=D.C.;Oklahoma City=OKC;New Orleans=NOLA=Nouvelle-Orléans=Nueva Orleans;Salt Lake City=SLC;Jacksonville=Jax;Colorado Springs=Colo Springs;
    Indianapolis=Indy;Atlanta=ATL;Fort Lauderdale=Ft Laud;Kansas City=KC=KCMO;Minneapolis=Mpls;San Diego=SD;Albuquerque=ABQ;Pittsburgh=Pitt;Chicago=Chi-Town=Chi Town;
    Saint Louis=STL;Cincinnati=Cincy;Dallas=DFW;Fort Worth=Ft. W;Houston=H-Town;Boston=Beantown;Baltimore=Bmore;Virginia Beach=VA Beach;Corpus Christi=Corpus;
    Grand Rapids=GR;San Antonio=San Antone;Sacramento=Sacto=Sac;Nashville=Nash;Portland=PDX;Charlotte=CLT;Miami=MIA;Queens=Queens New York`,
  CA: `Montréal=Mtl;Toronto=TO=T.O.=YYZ;Vancouver=Van;Edmonton=Yeg;Calgary=YYC=Cowtown;Winnipeg=Peg=Wpg;Québec=Quebec City=Ville de Québec;Sept-Îles=Sept Iles=Seven Islands;
    Saskatoon=Stoon;Hamilton=Hammer;Kitchener=K-W;Trois-Rivières=Three Rivers`,
  GB: `London=Londres=Londra=Londen=Llundain=LDN=Londyn=Londýn;Birmingham=Brum=B'ham=Bham;Manchester=Mcr=M'cr;Edinburgh=Édimbourg=Edimburgo=Edimburg=Dùn Èideann;Newcastle upon Tyne=Newcastle=Toon;
    Kingston upon Hull=Hull;Stoke-on-Trent=Stoke;Southend-on-Sea=Southend;Wolverhampton=Wolves=W'ton;Liverpool=L'pool=Lpool;Northampton=N'hampton;Southampton=So'ton=Soton;
    Middlesbrough=Boro;Cardiff=Caerdydd;Swansea=Abertawe;Newport=Casnewydd;Wrexham=Wrecsam;Inverness=Inbhir Nis;Glasgow=Glaschu;Derry=Londonderry;Ashton-under-Lyne=Ashton under Lyne=Ashton;
    Bournemouth=B'mouth;Portsmouth=Pompey;Nottingham=Notts`,
  DE: `München=Munich=Monaco di Baviera=Múnich=Mnichov=Monachium;Köln=Cologne=Colonia=Keulen;Nürnberg=Nuremberg=Norimberga;Frankfurt am Main=Francfort=Ffm=Frankfurt/M=Frankfurt M=Francoforte;Aachen=Aix-la-Chapelle=Aquisgrana=Aken;
    Mainz=Mayence=Magonza;Braunschweig=Brunswick;Halle (Saale)=Halle/Saale=Halle Saale=Halle an der Saale;Mönchengladbach=M'gladbach=Gladbach=MG;Hannover=Hanover=Hanovre;Hamburg=Hambourg=Hamburgo=HH;
    Berlin=Berlín=Berlino=Berlijn=Bln;Trier=Trèves=Treviri;Koblenz=Coblence=Coblenza;Regensburg=Ratisbonne=Ratisbona=Rgbg;Dresden=Dresde=Dresda;Leipzig=Lipsia;Stuttgart=Stoccarda=Estugarda=Stgt;Düsseldorf=D'dorf=Ddorf;
    Neustadt an der Weinstraße=Neustadt a.d. Weinstr=Neustadt Weinstr=Neustadt/Weinstr;Bremen=Brême=Brema;Saarbrücken=Sarrebruck;Konstanz=Constance;Bad Homburg vor der Höhe=Bad Homburg;
    Speyer=Spire;Freiburg=Fribourg-en-Brisgau=Friburgo`,
  AT: `Wien=Vienna=Vienne=Viena=Wenen=Bécs=Vídeň=Beč=Dunaj=Wiedeń;Salzburg=Salzbourg=Salisburgo;Innsbruck=Ibk;Bruck an der Mur=Bruck/Mur=Bruck Mur;Klagenfurt am Wörthersee=Klagenfurt;Graz=Štajerski Gradec`,
  CH: `Genève=Geneva=Genf=Ginevra=Ginebra;Zürich=Zurich=Zurigo=Zúrich=ZH;Basel=Bâle=Basle=Basilea;Bern=Berne=Berna;Luzern=Lucerne=Lucerna;Lausanne=Losanna=Lausana;Neuchâtel=Neuenburg;Fribourg=Freiburg=Friburgo;Sion=Sitten;
    St. Gallen=Saint-Gall=San Gallo=St Gall;Chur=Coire=Coira=Cuira;Biel/Bienne=Biel=Bienne;Delémont=Delsberg;Martigny-Ville=Martinach;Martigny=Martinach;Sierre=Siders;Murten=Morat;Solothurn=Soleure;Schaffhausen=Schaffhouse;
    La Chaux-de-Fonds=Chaux-de-Fonds;Brig=Brigue;Porrentruy=Pruntrut;Visp=Viège`,
  FR: `Paris=Parigi=París=Parijs=Paryż=Paname;Lyon=Lyons=Lione;Marseille=Marseilles=Marsiglia=Marsella;Strasbourg=Straßburg=Strassburg=Strasburgo=Estrasburgo;Nice=Nizza=Niza;Bordeaux=Burdeos;Toulouse=Tolosa;Mulhouse=Mülhausen=Muelhausen;
    Dunkerque=Dunkirk=Dünkirchen=Duinkerke;Lille=Rijsel;Colmar=Kolmar;Boulogne-Billancourt=Boulogne;Aix-en-Provence=Aix;Calais=Kales;Avignon=Avignone;Perpignan=Perpinyà=Perpiñán;Bayonne=Baiona;Metz=Mets;Thionville=Diedenhofen;
    La Roche-sur-Yon=La Roche s/Yon=La Roche s Yon;Fontenay-sous-Bois=Fontenay s/s Bois=Fontenay s Bois;Villeurbanne=Villeurb;Reims=Rheims;Rennes=Roazhon;Nantes=Naoned;Ajaccio=Aiacciu;Bastia=Bastía`,
  IT: `Roma=Rome=Rom=Rzym=Řím=Rím;Milano=Milan=Mailand=Milán;Venezia=Venice=Venedig=Venise=Venecia=Venetië=Wenecja=Benátky;Firenze=Florence=Florenz=Florencia;Napoli=Naples=Neapel=Nápoles;Torino=Turin=Turín;Genova=Genoa=Genua=Gênes=Génova;
    Padova=Padua=Padoue;Siracusa=Syracuse=Syrakus;Bolzano=Bozen;Trento=Trient;Merano=Meran;Bressanone=Brixen;Brunico=Bruneck;Vipiteno=Sterzing;Chiusa=Klausen;Aosta=Aoste;Gorizia=Görz;Trieste=Triest=Trst;Verona=Vérone;
    Reggio nell'Emilia=Reggio Emilia;Reggio Calabria=Reggio di Calabria;Bologna=Bologne=Bolonia;Livorno=Leghorn;Mantova=Mantua;Palermo=Palerme;Sesto San Giovanni=Sesto S Giovanni;Bassano del Grappa=Bassano;Udine=Videm;Siena=Sienne`,
  ES: `Madrid=MAD;Barcelona=Barcelone=BCN=Barna;Sevilla=Seville=Séville=Siviglia;Zaragoza=Saragossa=Saragosse;Valencia=València=Valence;Córdoba=Cordova=Cordoue;Granada=Grenade;Cádiz=Cadix=Cadiz;A Coruña=La Coruña=Corunna=Coruña;
    Palma=Palma de Mallorca=Ciutat;Donostia / San Sebastián=Donostia=San Sebastián=S Sebastián=S. Sebastián=Donosti;San Sebastián=Donostia=S Sebastián=S. Sebastián;Vitoria-Gasteiz=Vitoria=Gasteiz;Pamplona=Iruña=Pampelune;Bilbao=Bilbo;
    Castelló de la Plana=Castellón=Castellón de la Plana=Castelló;Alicante=Alacant;Elche=Elx;L'Hospitalet de Llobregat=Hospitalet=L'Hospitalet;Sant Cugat del Vallès=Sant Cugat;Las Palmas de Gran Canaria=Las Palmas=LPA;
    Santa Cruz de Tenerife=S/C de Tenerife=SC de Tenerife;Jerez de la Frontera=Jerez;Santiago de Compostela=Santiago=Compostela;Eivissa=Ibiza;Maó=Mahon=Mahón=Mao;Ourense=Orense;Lleida=Lérida;Girona=Gerona`,
  BE: `Bruxelles=Brussels=Brussel=Brüssel=Bruselas=Bxl=Ville de Bruxelles=Stad Brussel;Antwerpen=Antwerp=Anvers=Amberes=Anversa;Gent=Ghent=Gand=Gante;Brugge=Bruges=Brujas;Liège=Luik=Lüttich=Lieja=Liegi;Mons=Bergen;Namur=Namen;
    Tournai=Doornik;Leuven=Louvain=Löwen=Lovaina;Mechelen=Malines=Mecheln;Kortrijk=Courtrai;Oostende=Ostend=Ostende;Ieper=Ypres=Ypern;Aalst=Alost;Ronse=Renaix;Tongeren=Tongres;Arlon=Aarlen=Arel;Dendermonde=Termonde;Sint-Niklaas=Saint-Nicolas;
    Hasselt=Hasselt BE;Vilvoorde=Vilvorde;Halle=Hal;Veurne=Furnes;Lier=Lierre;Nivelles=Nijvel;Wavre=Waver;Jodoigne=Geldenaken;Ath=Aat`,
  NL: `Amsterdam=A'dam=Adam=AMS;Rotterdam=R'dam=Rdam;Den Haag=The Hague='s-Gravenhage=La Haye=La Haya=Haag;'s-Hertogenbosch=Den Bosch=Bois-le-Duc;Nijmegen=Nimwegen=Nimègue;Vlissingen=Flushing=Flessingue;Leeuwarden=Ljouwert;
    Alphen aan den Rijn=Alphen a/d Rijn=Alphen a d Rijn=Alphen;Capelle aan den IJssel=Capelle a/d IJssel=Capelle a d IJssel;Krimpen aan den IJssel=Krimpen a/d IJssel;Bergen op Zoom=BoZ;Groningen=Groningue=Grunn;Maastricht=Maestricht`,
  LU: `Luxembourg=Luxemburg=Lëtzebuerg=Lussemburgo=Luxemburgo=Lux;Esch-sur-Alzette=Esch/Alzette=Esch;Dudelange=Düdelingen=Diddeleng;Ettelbruck=Ettelbrück;Differdange=Differdingen`,
  DK: `København=Copenhagen=Kopenhagen=Copenhague=Köpenhamn=Copenaghen=Kbh=Kobenhavn=Cph=Kodaň;Helsingør=Elsinore;Århus=Aarhus;Aalborg=Ålborg;Nykøbing Falster=Nykøbing F;Nykøbing Mors=Nykøbing M;Nykøbing Sjælland=Nykøbing Sj`,
  SE: `Stockholm=Sthlm=Estocolmo=Stoccolma=Tukholma;Göteborg=Gothenburg=Gbg=Göteburg=Gotemburgo;Malmö=Malmø;Luleå=Luulaja;Haparanda=Haaparanta`,
  NO: `Oslo=Christiania=Kristiania;Trondheim=Trondhjem;Kautokeino=Guovdageaidnu;Karasjok=Kárášjohka;Tromsø=Romsa;Kristiansand=Kr.sand=Krsand;Ålesund=Aalesund`,
  FI: `Helsinki=Helsingfors=Stadi;Turku=Åbo=Abo;Tampere=Tammerfors;Lappeenranta=Villmanstrand;Hämeenlinna=Tavastehus;Espoo=Esbo;Vantaa=Vanda;Oulu=Uleåborg;Lahti=Lahtis;Pori=Björneborg;Vaasa=Vasa;Kauniainen=Grankulla;Naantali=Nådendal;
    Raasepori=Raseborg;Tammisaari=Ekenäs=Raseborg=Raasepori;Parainen=Pargas;Hanko=Hangö;Kirkkonummi=Kyrkslätt;Porvoo=Borgå;Kokkola=Karleby;Jakobstad=Pietarsaari;Järvenpää=Träskända;Hyvinkää=Hyvinge;
    Savonlinna=Nyslott;Rauma=Raumo;Uusikaupunki=Nystad;Kristinestad=Kristiinankaupunki;Loviisa=Lovisa;Jyväskylä=Jkl`,
  AX: `Mariehamn=Maarianhamina`,
  PL: `Warszawa=Warsaw=Warschau=Varsovie=Varsovia=Varsavia=Wawa=Wwa=Varšava;Kraków=Krakow=Cracow=Krakau=Cracovia=Cracovie=Krk;Gdańsk=Danzig;Wrocław=Breslau=Wro;Poznań=Posen=Poz;Szczecin=Stettin;Katowice=Kattowitz;Łódź=Lodz=Lodsch;
    Gorzów Wielkopolski=Gorzów Wlkp=Gorzów;Ostrów Wielkopolski=Ostrów Wlkp;Piotrków Trybunalski=Piotrków Tryb=Piotrków;Toruń=Thorn;Bydgoszcz=Bromberg;Opole=Oppeln;Gliwice=Gleiwitz;Olsztyn=Allenstein;Zielona Góra=Grünberg;
    Bielsko-Biala=Bielsko=Bielitz;Częstochowa=Tschenstochau;Legnica=Liegnitz;Świnoujście=Swinemünde;Kołobrzeg=Kolberg;Grodzisk Mazowiecki=Grodzisk Maz;Mińsk Mazowiecki=Mińsk Maz`,
  CZ: `Praha=Prague=Prag=Praga=Praag;Brno=Brünn;Plzeň=Pilsen;Karlovy Vary=Karlsbad=Carlsbad;České Budějovice=Budweis=Č. Budějovice=C Budejovice=ČB;Liberec=Reichenberg;Olomouc=Olmütz;Ústí nad Labem=Aussig=Ústí n. L.=Usti n L=Ústí nad L.;
    Hradec Králové=Königgrätz=Hr. Králové=HK;Žďár nad Sázavou=Žďár n. Sázavou=Žďár;Jihlava=Iglau;Znojmo=Znaim;Opava=Troppau;Ostrava=Ostrau;Mariánské Lázně=Marienbad;Český Krumlov=Krumau;Frýdek-Místek=FM;Cheb=Eger;Most=Brüx;Teplice=Teplitz`,
  SK: `Bratislava=Pressburg=Pozsony=Presburgo=Preßburg=BA=Presporok;Košice=Kaschau=Kassa=KE;Banská Bystrica=B. Bystrica=Ban. Bystrica=Neusohl;Nitra=Neutra=Nyitra;Komárno=Komárom;Žilina=Sillein;Nové Mesto nad Váhom=Nové Mesto n. Váhom;
    Trnava=Tyrnau=Nagyszombat;Prešov=Preschau=Eperjes;Trenčín=Trentschin`,
  HU: `Budapest=Bp=Pest=Buda=Budapeszt=Budapešť=Ofen;Pécs=Fünfkirchen=Pečuh;Győr=Raab;Sopron=Ödenburg;Székesfehérvár=Szfvár=Stuhlweißenburg=Fehérvár;Szeged=Szegedin;Debrecen=Debreczin;Nyíregyháza=Nyh;Esztergom=Gran;Szombathely=Steinamanger`,
  RO: `București=Bucharest=Bukarest=Bucarest=Buc=Bucureşti;Sibiu=Hermannstadt=Nagyszeben=Szeben;Braşov=Kronstadt=Brassó;Brașov=Kronstadt=Brassó;Cluj-Napoca=Cluj=Klausenburg=Kolozsvár;Timişoara=Temeswar=Temesvár;Timișoara=Temeswar=Temesvár;
    Oradea=Nagyvárad=Großwardein;Iaşi=Jassy;Iași=Jassy;Târgu-Mureş=Tg. Mureș=Tg Mures=Marosvásárhely=Neumarkt;Târgu Jiu=Tg Jiu;Drobeta-Turnu Severin=Turnu Severin;Satu Mare=Szatmárnémeti;Baia Mare=Nagybánya;Alba Iulia=Gyulafehérvár=Karlsburg`,
  HR: `Zagreb=Agram=Zagabria=ZG=Záhřeb;Dubrovnik=Ragusa;Rijeka=Fiume;Split=Spalato;Zadar=Zara;Pula=Pola;Osijek=Esseg;Varaždin=Warasdin;Šibenik=Sebenico;Poreč=Parenzo;Rovinj=Rovigno`,
  SI: `Ljubljana=Laibach=Lubiana=LJ;Maribor=Marburg=MB;Koper=Capodistria=Koper/Capodistria;Piran=Pirano;Celje=Cilli;Ptuj=Pettau;Kranj=Krainburg;Novo Mesto=Rudolfswerth;Izola=Isola;Bled=Veldes`,
  RS: `Beograd=Belgrade=Belgrad=Belgrado=BG=Bgd;Novi Sad=Neusatz=Újvidék=NS;Niš=Nis=Nisch;Subotica=Szabadka;Zrenjanin=Nagybecskerek;Sombor=Zombor`,
  MK: `Bitola=Monastir=Bitolj;Skopje=Skoplje=Üsküp=Shkup;Tetovo=Tetova`,
  BG: `Sofia=Sofija=София=Sofía;Ruse=Rousse=Rustschuk=Russe;Plovdiv=Philippopolis=Filibe;Varna=Warna;Burgas=Bourgas;Veliko Tŭrnovo=Veliko Tarnovo=Tarnovo;Veliko Tarnovo=Veliko Turnovo=Tarnovo`,
  LT: `Vilnius=Wilna=Wilno=Vilna=Vilno;Kaunas=Kowno=Kovno;Klaipėda=Memel;Šiauliai=Schaulen`,
  LV: `Riga=Rīga=Ryga=Riika;Daugavpils=Dünaburg=Dvinsk=Dyneburg;Liepāja=Libau=Lipawa;Jelgava=Mitau;Ventspils=Windau;Cēsis=Wenden`,
  EE: `Tallinn=Reval=Tallin=Tln;Tartu=Dorpat=Derpt;Pärnu=Pernau;Narva=Narwa;Viljandi=Fellin;Kuressaare=Arensburg;Haapsalu=Hapsal;Rakvere=Wesenberg;Võru=Werro`,
  RU: `Москва=Moscow=Мск=Moskau=Moskwa=Msk=Moscou;Санкт-Петербург=Saint Petersburg=СПб=Питер=Спб=Spb=Leningrad=Ленинград=Sankt-Peterburg;Nizhniy Novgorod=Нижний=Н. Новгород=Н Новгород=НН;Yekaterinburg=Екб=Ебург=Ekb=Sverdlovsk;
    Novosibirsk=Нск=Новосиб;Rostov-na-Donu=Ростов=Ростов н/Д=Rostov;Kaliningrad=Königsberg=Калининград;Vladivostok=Владик;Krasnoyarsk=Крск;Chelyabinsk=Челяба`,
  UA: `Kyiv=Київ=Kiev=Kiew=Kijów=Киев;Lviv=Lemberg=Lwów=Львов=Leopoli=Lvov;Chernivtsi=Czernowitz=Cernăuți=Черновцы;Odesa=Odessa=Одесса=Одеса;Kharkiv=Kharkov=Харьков;Ivano-Frankivsk=Ів.-Франківськ=Франківськ=Івано-Франк=Ивано-Франковск=Stanislau;
    Dnipro=Дніпро=Днепр=Dnepropetrovsk=Dnipropetrovsk;Uzhhorod=Uzhgorod=Ужгород=Ungvár;Mykolaiv=Nikolaev=Николаев;Ternopil=Tarnopol`,
  TR: `Istanbul=İst=Ist=Constantinople=Estambul=Stambul=Konstantinopel=Tsarigrad;İzmir=Smyrna=Izmir=Esmirna;Ankara=Angora;Gaziantep=Antep;Şanlıurfa=Urfa;Kahramanmaraş=Maraş;Antakya=Hatay=Antioch;İzmit=Kocaeli;Adapazarı=Sakarya;Mersin=İçel;Edirne=Adrianople;Bursa=Brusa;Trabzon=Trebizond`,
  PT: `Lisboa=Lisbon=Lissabon=Lisbonne=Lisbona=Lx;Porto=Oporto;Vila Nova de Gaia=VN Gaia=V. N. de Gaia=Gaia;São João da Madeira=S. João da Madeira=S João da Madeira;Vila Real de Santo António=VRSA;Vila Nova de Famalicão=VN Famalicão=Famalicão;Póvoa de Varzim=Póvoa;Caldas da Rainha=Caldas`,
  IE: `Dublin=Baile Átha Cliath=Dublino=Dublín=BAC;Cork=Corcaigh;Galway=Gaillimh;Limerick=Luimneach;Sligo=Sligeach;Waterford=Port Láirge;Kilkenny=Cill Chainnigh;Tralee=Trá Lí;Wexford=Loch Garman;Ennis=Inis;Drogheda=Droichead Átha;Dundalk=Dún Dealgan;Letterkenny=Leitir Ceanainn`,
  MT: `Valletta=La Valletta=Il-Belt=Belt Valletta;Sliema=Tas-Sliema;San Ġiljan=Saint Julian=St Julian's=St Julians`,
  CY: `Nicosia=Lefkosia=Lefkoşa=Nikosia=Λευκωσία;Limassol=Lemesos=Λεμεσός;Larnaca=Larnaka=Λάρνακα;Paphos=Pafos=Πάφος`,
  VA: `Città del Vaticano=Vatican City=Vaticano=Vatican=Vatikanstadt=Vatikan=Cité du Vatican`,
  MX: `Ciudad de México=Mexico City=CDMX=México D.F.=DF=D.F.=Mexico DF=Mexiko-Stadt=Mexico=México;Guadalajara=Gdl;Monterrey=Mty;San Luis Potosí=SLP=S.L.P.;Ciudad Juárez=Juárez=Cd Juárez;Querétaro=Qro=Santiago de Querétaro;Tijuana=TJ;Oaxaca=Oaxaca de Juárez;
    Acapulco de Juárez=Acapulco;Culiacán=Culiacán Rosales;Heroica Matamoros=Matamoros;Toluca=Toluca de Lerdo;Cancún=Cancun;Morelia=Valladolid de Michoacán;Victoria de Durango=Durango;Xalapa de Enríquez=Xalapa=Jalapa;Pachuca de Soto=Pachuca;Tuxtla Gutiérrez=Tuxtla`,
  AR: `Buenos Aires=CABA=Capital Federal=Bs As=Bs. As.=BsAs=Baires;Mar del Plata=Mardel=MdP;San Miguel de Tucumán=S. M. de Tucumán=Tucumán=SM de Tucumán;Comodoro Rivadavia=Comodoro;San Carlos de Bariloche=Bariloche;San Salvador de Jujuy=Jujuy=SS de Jujuy;
    Córdoba=Cba;Rosario=Ros`,
  BR: `São Paulo=SP=S Paulo=Sampa=Sao Paolo;Belo Horizonte=BH=Belô;Porto Alegre=POA;Florianópolis=Floripa;São José dos Campos=S. J. dos Campos=SJ dos Campos=SJC;Rio de Janeiro=Rio=RJ;Santo André=Sto André;Brasília=BSB;Curitiba=CWB;Salvador=SSA=Salvador da Bahia;
    São José do Rio Preto=Rio Preto;Juiz de Fora=JF`,
  CL: `Santiago=Stgo=Santiago de Chile;Viña del Mar=Viña;Concepción=Conce;Valparaíso=Valpo;Antofagasta=Antofa;Puerto Montt=Pto Montt`,
  CO: `Bogotá=Bogotá D.C.=Santafé de Bogotá=Santa Fe de Bogotá=Bta;Barranquilla=B/quilla=Bquilla=Curramba;Bucaramanga=Buca;Santa Marta=Sta Marta;Cartagena=Cartagena de Indias;Medellín=Medallo;Cali=Santiago de Cali;Pasto=San Juan de Pasto`,
  PE: `Cusco=Cuzco=Qosqo;Lima=LIM;Chosica=Lurigancho-Chosica`,
  EC: `Santo Domingo de los Colorados=Santo Domingo=Santo Domingo de los Tsáchilas=Sto Domingo;Quito=UIO=San Francisco de Quito;Guayaquil=Gye`,
  GT: `Guatemala=Guatemala City=Ciudad de Guatemala=Guate;Quetzaltenango=Xela=Xelajú;Antigua Guatemala=Antigua`,
  CR: `San José=San Jose=SJO=Chepe=Sn José;San Isidro=Pérez Zeledón=San Isidro de El General=San Isidro del General`,
  PA: `Panamá=Panama City=Ciudad de Panamá=Panama`,
  DO: `Santo Domingo=Sto Domingo=SD;Santiago de los Caballeros=Santiago`,
  UY: `Montevideo=Mvd=Montevidéu`,
  AU: `Brisbane=Brissie=Brisvegas=Bris;Fremantle=Freo;Surfers Paradise=Surfers;Melbourne=Melb;Sydney=Syd;Adelaide=Adl=Radelaide;Newcastle=Newy;Wollongong=Gong;Rockhampton=Rocky;Townsville=Townsvegas;Toowoomba=T'ba;Gold Coast=GC;
    Alice Springs=Alice;North Sydney=Nth Sydney;Hobart=Hobs;Canberra=Canb`,
  NZ: `Palmerston North=Palmy=Palmerston Nth=Palmy North;Christchurch=Chch=Ōtautahi;Auckland=Akl=Tāmaki Makaurau;Wellington=Te Whanganui-a-Tara=Welly=Wgtn;Mount Maunganui=Mt Maunganui=The Mount;Dunedin=Ōtepoti;Hamilton=Kirikiriroa;Tauranga=Tga;Invercargill=Waihōpai;
    New Plymouth=Ngāmotu;Napier=Ahuriri;Whangarei=Whangārei;Queenstown=Tāhuna`,
  ZA: `Johannesburg=Joburg=Jozi=Jhb=Jo'burg;Port Elizabeth=PE=P.E.=Gqeberha;Pietermaritzburg=Maritzburg=PMB;Cape Town=Kaapstad=Kapstadt=Le Cap=Ciudad del Cabo=CPT;Pretoria=Pta=Tshwane;Durban=eThekwini=Dbn;Nelspruit=Mbombela;Polokwane=Pietersburg;
    East London=eMonti=Buffalo City;Bloemfontein=Bloem=Mangaung;Grahamstown=Makhanda`,
  IN: `Mumbai=Bombay=Bombaim=BOM;Kolkata=Calcutta=Cal;Chennai=Madras;Bengaluru=Bangalore=B'lore=Blore;Pune=Poona;Varanasi=Benares=Banaras=Kashi;Kochi=Cochin;Thiruvananthapuram=Trivandrum=TVM;Mysuru=Mysore;Vadodara=Baroda;
    Visakhapatnam=Vizag=Vizagapatam;Panaji=Panjim=Pangim;Shimla=Simla;Kanpur=Cawnpore;Hyderabad=Hyd;Guwahati=Gauhati;Navi Mumbai=New Bombay;Prayagraj=Allahabad;Gurugram=Gurgaon;Tiruchirappalli=Trichy=Tiruchi;Kozhikode=Calicut;Mangaluru=Mangalore;
    Puducherry=Pondicherry=Pondy;New Delhi=ND=N Delhi;Delhi=Dilli;Vijayawada=Bezawada;Thrissur=Trichur;Kollam=Quilon;Coimbatore=Kovai=Cbe;Ahmedabad=Amdavad;Ahmadābād=Amdavad=Ahmedabad;Chandigarh=Chd`,
  PK: `Islamabad=Isb;Rawalpindi=Pindi=Rwp;Karachi=Khi=Karatschi;Lahore=Lhr=Lahor;Dera Ghazi Khan=D.G. Khan=DG Khan=D G Khan;Dera Ismail Khan=D I Khan=D.I. Khan=DI Khan;Faisalabad=Lyallpur=Fsd;Rahim Yar Khan=R Y Khan=RYK;Sahiwal=Montgomery;Attock=Campbellpur;Nawabshah=Benazirabad`,
  BD: `Dhaka=Dacca;Chattogram=Chittagong=Ctg=Chattagram;Cumilla=Comilla;Barishal=Barisal;Bogura=Bogra;Jashore=Jessore;Cox's Bazar=Coxs Bazar=Cox Bazar`,
  LK: `Colombo=Kolombo;Kandy=Maha Nuwara=Mahanuwara;Nuwara Eliya=N'Eliya;Anuradhapura=A'pura`,
  CN: `Beijing=Peking=Pékin=Pechino=Pekín=北京;Guangzhou=Canton=Kanton;Nanjing=Nanking;Qingdao=Tsingtao=Tsingtau;Chongqing=Chungking;Xi’an=Xian=Sian=Xi'an;Xi'an=Sian;Tianjin=Tientsin;Shanghai=Schanghai=Shanghái;Xiamen=Amoy;Lhasa=拉萨;Shenyang=Mukden;Dalian=Port Arthur=Dairen;
    Hangzhou=Hangchow;Suzhou=Soochow;Chengdu=Chengtu;Harbin=Kharbin;Ürümqi=Urumchi=乌鲁木齐`,
  TW: `Taipei=Taibei=Taipeh=Taipéi;Kaohsiung=Gaoxiong=Takao;Hsinchu=Hsin-chu=Xinzhu;Taichung=Taizhong;Chiayi=Jiayi=嘉義;Chiayi City=Jiayi=Chiayi;Hualien City=Hualien=花蓮=花蓮市;Taitung City=Taitung=臺東=台東`,
  JP: `Tokyo=Tokio=Tōkyō=Tokyo-to=Tokyo City;Osaka=Ōsaka=Osaka-shi=Osaka City;Kyoto=Kioto=Kyōto=Kyoto-shi;Yokohama=Yokohama-shi;Kobe=Kōbe=Kobe-shi;Nagoya=Nagoya-shi;Sapporo=Sapporo-shi;Ōita=Oita`,
  KR: `Seoul=Séoul=Seul=Seoul-si=Seúl;Busan=Pusan=Busan-si;Incheon=Inchon=Incheon-si;Daegu=Taegu=Daegu-si;Gwangju=Kwangju=Gwangju-si;Daejeon=Taejon=Daejeon-si;Jeju City=Jeju=Cheju=제주=제주시;Jeju=Cheju=제주;Suwon=Suwon-si;Ulsan=Ulsan-si;Changwon=Changwon-si`,
  TH: `Bangkok=BKK=Krung Thep=Krung Thep Maha Nakhon=Banguecoque=Bangkok City=กรุงเทพ=กรุงเทพฯ=กทม;Pattaya=Pattaya City=พัทยา;Phuket=Ko Phuket=Koh Phuket=ภูเก็ต;Ko Samui=Koh Samui=Samui;Nakhon Ratchasima=Korat=Khorat=โคราช;Phra Nakhon Si Ayutthaya=Ayutthaya=Nakhon Si Ayutthaya=อยุธยา;Chiang Mai=Chiangmai;Hat Yai=Haad Yai`,
  ID: `Jakarta=Jkt=DKI Jakarta=Djakarta=Batavia=Kota Jakarta;Bandung=Bdg=Bandoeng=Kota Bandung;Surabaya=Sby=Soerabaja=Kota Surabaya;Yogyakarta=Jogja=Jogjakarta=Djokjakarta=Yogya;Makassar=Ujung Pandang=Macassar;Surakarta=Solo;Jakarta Selatan=South Jakarta=Jaksel;Medan=Kota Medan;
    Semarang=Smg=Kota Semarang;Denpasar=Dps;Malang=Kota Malang;Bogor=Buitenzorg=Kota Bogor`,
  MY: `Kuala Lumpur=KL;Johor Bahru=JB=Johore Bahru=Johor Baru;Kota Kinabalu=KK=Jesselton;Petaling Jaya=PJ;Melaka=Malacca=Malaka;George Town=Penang=Georgetown;Kuching=Kch;Seremban=Srmbn`,
  PH: `Quezon City=QC=Q.C.;Cagayan de Oro=CDO=Cagayan de Oro City;General Santos=GenSan=Gen. Santos=General Santos City;Manila=Manille=Maynila=Manilla=Mla;Makati City=Makati=City of Makati;Taguig=BGC=Taguig City;Cebu City=Cebu=Sugbo;Davao=Davao City;Zamboanga=Zamboanga City=Zambo;
    Iloilo=Iloilo City;Baguio=Baguio City;Legaspi=Legazpi=Legazpi City;Angeles City=Angeles;Pasig City=Pasig`,
  MA: `Casablanca=Casa=Dar el Beida=Dar al-Bayda;Marrakech=Marrakesh=Marrakesch;Fès=Fes=Fez;Tanger=Tangier=Tangiers=Tánger;Essaouira=Mogador;Laayoune=Laâyoune=El Aaiún;El Jadida=Mazagan`,
  DZ: `Alger=Algiers=Argel=Algier=Algeri;Annaba=Bône=Bona;Bejaïa=Bougie=Béjaïa;Skikda=Philippeville;Oran=Orán=Wahran;Constantine=Cirta=Qacentina`,
  SG: `Singapore=Singapur=Singapour=Cingapura=S'pore=Spore`,
  GL: `Nuuk=Godthåb;Ilulissat=Jakobshavn;Sisimiut=Holsteinsborg`,
  FO: `Tórshavn=Thorshavn`,
  AZ: `Bakı=Baku=Bakou=Баку;Gəncə=Ganja=Gyandzha=Kirovabad;Sumqayit=Sumqayıt=Sumgait`,
  BY: `Minsk=Минск=Мінск=Mińsk;Homyel=Gomel=Homel;Hrodna=Grodno;Vitsebsk=Vitebsk;Mahilyow=Mogilev=Mahiliou;Brest=Brest-Litovsk=Brześć`,
  MD: `Chișinău=Chisinau=Kishinev=Кишинёв=Chişinău;Bălţi=Bălți=Beltsy=Balti;Bălți=Beltsy=Balti`,
  MC: `Monaco=Monte Carlo=Monte-Carlo;Monte-Carlo=Monaco`,
  NC: `Nouméa=Noumea`,
}

/** Each list begins with the city's own name; the second is the English one if there is another. */
export function typedNames(country: string): string[][] {
  return splitNames(NAMES[country] ?? '')
}
