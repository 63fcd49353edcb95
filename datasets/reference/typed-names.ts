/**
 * Other names of cities: nicknames, abbreviations, names in neighbouring languages. The gazetteer lacks some, and
 * does not say which of sixty names are used. Written by hand from common usage, for cities that every speaker knows.
 */
import { splitNames } from './area-names.ts'

/** Cities between semicolons: the own name of each, the English one if there is another, and further names. */
const NAMES: Readonly<Record<string, string>> = {
  US: `New York City=NYC=NY City=Nuova York;San Francisco=SF=San Fran=SFO;Los Angeles=LA;Philadelphia=Philly;Las Vegas=Vegas;Washington=DC=Washington DC;Oklahoma City=OKC;New Orleans=NOLA=Nouvelle-Orléans=Nueva Orleans;Salt Lake City=SLC;Jacksonville=Jax;Colorado Springs=Colo Springs;
    Indianapolis=Indy;Atlanta=ATL;Fort Lauderdale=Ft Laud;Kansas City=KC=KCMO;Minneapolis=Mpls;San Diego=SD;Albuquerque=ABQ;Pittsburgh=Pitt;Chicago=Chi-Town;Saint Louis=STL;Cincinnati=Cincy;Dallas=DFW;Fort Worth=Ft. W;Houston=H-Town;Boston=Beantown;Baltimore=Bmore;Virginia Beach=VA Beach;
    Corpus Christi=Corpus;Grand Rapids=GR;San Antonio=San Antone;Sacramento=Sacto=Sac;Nashville=Nash;Portland=PDX;Charlotte=CLT;Miami=MIA;Queens=Queens New York;Barrow=Utqiagvik`,
  CA: `Montréal=Mtl;Toronto=TO=YYZ;Vancouver=Van;Edmonton=Yeg;Calgary=YYC=Cowtown;Winnipeg=Peg=Wpg;Québec=Quebec City=Ville de Québec;Sept-Îles=Sept Iles=Seven Islands;Saskatoon=Stoon;Hamilton=Hammer;Kitchener=K-W;Trois-Rivières=Three Rivers`,
  GB: `London=Londres=Llundain=LDN;Birmingham=Brum=B'ham;Manchester=Mcr;Edinburgh=Édimbourg=Edimburgo=Edimburg=Dùn Èideann;Newcastle upon Tyne=Newcastle=Toon;Kingston upon Hull=Hull;Stoke-on-Trent=Stoke;Southend-on-Sea=Southend;Wolverhampton=Wolves=W'ton;Liverpool=L'pool;Northampton=N'hampton;
    Southampton=So'ton;Middlesbrough=Boro;Cardiff=Caerdydd;Swansea=Abertawe;Newport=Casnewydd;Wrexham=Wrecsam;Inverness=Inbhir Nis;Glasgow=Glaschu;Derry=Londonderry;Ashton-under-Lyne=Ashton under Lyne;Bournemouth=B'mouth;Portsmouth=Pompey;Nottingham=Notts`,
  DE: `München=Munich=Monaco di Baviera=Monachium;Köln=Cologne=Colonia=Keulen;Nürnberg=Nuremberg=Norimberga;Frankfurt am Main=Francfort=Ffm=Frankfurt/M=Francoforte;Aachen=Aix-la-Chapelle=Aquisgrana;Mainz=Mayence=Magonza;Braunschweig=Brunswick;Halle (Saale)=Halle/Saale=Halle an der Saale;
    Mönchengladbach=M'gladbach=Gladbach=MG;Hannover=Hanover=Hanovre;Hamburg=Hambourg=HH;Berlin=Berlín=Bln;Trier=Trèves=Treviri;Koblenz=Coblence=Coblenza;Regensburg=Ratisbonne=Ratisbona=Rgbg;Dresden=Dresde;Leipzig=Lipsia;Stuttgart=Stoccarda=Estugarda=Stgt;Düsseldorf=D'dorf;
    Neustadt an der Weinstraße=Neustadt a.d. Weinstr=Neustadt Weinstr;Bremen=Brême;Saarbrücken=Sarrebruck;Konstanz=Constance;Bad Homburg vor der Höhe=Bad Homburg;Speyer=Spire;Freiburg=Fribourg-en-Brisgau=Friburgo`,
  AT: `Wien=Vienna;Salzburg=Salzbourg=Salisburgo;Innsbruck=Ibk;Bruck an der Mur=Bruck/Mur;Klagenfurt am Wörthersee=Klagenfurt;Graz=Štajerski Gradec`,
  CH: `Genève=Geneva=Ginevra=Ginebra;Zürich=Zurich=Zurigo=ZH;Basel=Bâle=Basle=Basilea;Bern=Berne=Berna;Luzern=Lucerne;Lausanne=Losanna=Lausana;Neuchâtel=Neuenburg;Fribourg=Freiburg=Friburgo;Sion=Sitten;St. Gallen=Saint-Gall;Chur=Coire=Coira=Cuira;Biel/Bienne=Biel=Bienne;Delémont=Delsberg;
    Martigny-Ville=Martinach;Martigny=Martinach;Sierre=Siders;Murten=Morat;Solothurn=Soleure;Schaffhausen=Schaffhouse;La Chaux-de-Fonds=Chaux-de-Fonds;Brig=Brigue;Porrentruy=Pruntrut;Visp=Viège`,
  FR: `Paris=Parigi;Lyon=Lyons=Lione;Marseille=Marseilles=Marsiglia=Marsella;Strasbourg=Straßburg=Strasburgo=Estrasburgo;Nice=Nizza=Niza;Bordeaux=Burdeos;Toulouse=Tolosa;Mulhouse=Mülhausen=Muelhausen;Dunkerque=Dunkirk=Dünkirchen=Duinkerke;Lille=Rijsel;Colmar=Kolmar;Boulogne-Billancourt=Boulogne;
    Aix-en-Provence=Aix;Calais=Kales;Avignon=Avignone;Perpignan=Perpinyà;Bayonne=Baiona;Metz=Mets;Thionville=Diedenhofen;La Roche-sur-Yon=La Roche s/Yon;Fontenay-sous-Bois=Fontenay s/s Bois;Villeurbanne=Villeurb;Reims=Rheims;Rennes=Roazhon;Nantes=Naoned;Ajaccio=Aiacciu;Bastia=Bastía`,
  IT: `Roma=Rome;Milano=Milan;Venezia=Venice=Venedig=Venecia=Venetië=Wenecja=Benátky;Firenze=Florence=Florenz=Florencia;Napoli=Naples=Neapel=Nápoles;Torino=Turin;Genova=Genoa=Genua;Padova=Padua=Padoue;Siracusa=Syracuse=Syrakus;Bolzano=Bozen;Trento=Trient;Merano=Meran;Bressanone=Brixen;
    Brunico=Bruneck;Vipiteno=Sterzing;Chiusa=Klausen;Aosta=Aoste;Gorizia=Görz;Trieste=Triest;Verona=Vérone;Reggio nell'Emilia=Reggio Emilia;Reggio Calabria=Reggio di Calabria;Bologna=Bologne=Bolonia;Livorno=Leghorn;Mantova=Mantua;Palermo=Palerme;Sesto San Giovanni=Sesto S Giovanni;
    Bassano del Grappa=Bassano;Udine=Videm;Siena=Sienne`,
  ES: `Madrid=MAD;Barcelona=Barcelone=BCN=Barna;Sevilla=Seville=Siviglia;Zaragoza=Saragossa=Saragosse;Valencia=València;Córdoba=Cordova;Granada=Grenade;Cádiz=Cadix;A Coruña=La Coruña=Corunna;Palma=Palma de Mallorca=Ciutat;Donostia / San Sebastián=Donostia=S Sebastián=Donosti;
    San Sebastián=Donostia=S Sebastián;Vitoria-Gasteiz=Vitoria;Pamplona=Iruña=Pampelune;Bilbao=Bilbo;Castelló de la Plana=Castellón=Castellón de la Plana;Alicante=Alacant;Elche=Elx;L'Hospitalet de Llobregat=Hospitalet=L'Hospitalet;Sant Cugat del Vallès=Sant Cugat;
    Las Palmas de Gran Canaria=Las Palmas=LPA;Santa Cruz de Tenerife=S/C de Tenerife;Jerez de la Frontera=Jerez;Santiago de Compostela=Santiago;Eivissa=Ibiza;Maó=Mahon;Ourense=Orense;Lleida=Lérida;Girona=Gerona`,
  BE: `Bruxelles=Brussels=Bruselas=Bxl=Ville de Bruxelles=Stad Brussel;Antwerpen=Antwerp=Anversa;Gent=Ghent=Gante;Brugge=Bruges=Brujas;Liège=Luik=Lüttich=Lieja=Liegi;Mons=Bergen;Namur=Namen;Tournai=Doornik;Leuven=Louvain=Löwen=Lovaina;Mechelen=Malines;Kortrijk=Courtrai;Oostende=Ostend;
    Ieper=Ypres=Ypern;Aalst=Alost;Ronse=Renaix;Tongeren=Tongres;Arlon=Aarlen;Dendermonde=Termonde;Sint-Niklaas=Saint-Nicolas;Hasselt=Hasselt BE;Vilvoorde=Vilvorde;Halle=Hal;Veurne=Furnes;Lier=Lierre;Nivelles=Nijvel;Wavre=Waver;Jodoigne=Geldenaken;Ath=Aat`,
  NL: `Amsterdam=A'dam=AMS;Rotterdam=R'dam;Den Haag=The Hague='s-Gravenhage=La Haye=La Haya;'s-Hertogenbosch=Den Bosch=Bois-le-Duc;Nijmegen=Nimwegen=Nimègue;Vlissingen=Flushing=Flessingue;Leeuwarden=Ljouwert;Alphen aan den Rijn=Alphen a/d Rijn;Capelle aan den IJssel=Capelle a/d IJssel;
    Krimpen aan den IJssel=Krimpen a/d IJssel;Bergen op Zoom=BoZ;Groningen=Groningue=Grunn;Maastricht=Maestricht`,
  LU: `Luxembourg=Luxemburg=Lëtzebuerg=Lussemburgo=Luxemburgo=Lux;Esch-sur-Alzette=Esch/Alzette;Dudelange=Düdelingen;Ettelbruck=Ettelbrück;Differdange=Differdingen`,
  DK: `København=Copenhagen=Kopenhagen=Kbh=Cph;Helsingør=Elsinore;Århus=Aarhus;Aalborg=Ålborg;Nykøbing Falster=Nykøbing F;Nykøbing Mors=Nykøbing M;Nykøbing Sjælland=Nykøbing Sj`,
  SE: `Stockholm=Sthlm;Göteborg=Gothenburg=Gbg=Gotemburgo;Malmö=Malmø;Luleå=Luulaja;Haparanda=Haaparanta`,
  NO: `Oslo=Christiania=Kristiania;Trondheim=Trondhjem;Kautokeino=Guovdageaidnu;Karasjok=Kárášjohka;Tromsø=Romsa;Kristiansand=Kr.sand;Ålesund=Aalesund`,
  FI: `Helsinki=Helsingfors;Turku=Åbo;Tampere=Tammerfors;Lappeenranta=Villmanstrand;Hämeenlinna=Tavastehus;Espoo=Esbo;Vantaa=Vanda;Oulu=Uleåborg;Lahti=Lahtis;Pori=Björneborg;Vaasa=Vasa;Kauniainen=Grankulla;Naantali=Nådendal;Raasepori=Raseborg;Tammisaari=Ekenäs=Raseborg=Raasepori;Parainen=Pargas;
    Hanko=Hangö;Kirkkonummi=Kyrkslätt;Porvoo=Borgå;Kokkola=Karleby;Jakobstad=Pietarsaari;Järvenpää=Träskända;Hyvinkää=Hyvinge;Savonlinna=Nyslott;Rauma=Raumo;Uusikaupunki=Nystad;Kristinestad=Kristiinankaupunki;Loviisa=Lovisa;Jyväskylä=Jkl`,
  AX: `Mariehamn=Maarianhamina`,
  PL: `Warszawa=Warsaw=Wawa=Wwa;Kraków=Krakow=Krakau=Cracovia=Cracovie=Krk;Gdańsk=Danzig;Wrocław=Breslau=Wro;Poznań=Posen=Poz;Szczecin=Stettin;Katowice=Kattowitz;Łódź=Lodz=Lodsch;Gorzów Wielkopolski=Gorzów Wlkp=Gorzów;Ostrów Wielkopolski=Ostrów Wlkp;Piotrków Trybunalski=Piotrków Tryb;Toruń=Thorn;
    Bydgoszcz=Bromberg;Opole=Oppeln;Gliwice=Gleiwitz;Olsztyn=Allenstein;Zielona Góra=Grünberg;Bielsko-Biala=Bielsko=Bielitz;Częstochowa=Tschenstochau;Legnica=Liegnitz;Świnoujście=Swinemünde;Kołobrzeg=Kolberg;Grodzisk Mazowiecki=Grodzisk Maz;Mińsk Mazowiecki=Mińsk Maz`,
  CZ: `Praha=Prague;Brno=Brünn;Plzeň=Pilsen;Karlovy Vary=Karlsbad;České Budějovice=Budweis=Č. Budějovice=ČB;Liberec=Reichenberg;Olomouc=Olmütz;Ústí nad Labem=Aussig=Ústí n. L.;Hradec Králové=Königgrätz=Hr. Králové=HK;Žďár nad Sázavou=Žďár n. Sázavou;Jihlava=Iglau;Znojmo=Znaim;Opava=Troppau;
    Ostrava=Ostrau;Mariánské Lázně=Marienbad;Český Krumlov=Krumau;Frýdek-Místek=FM;Cheb=Eger;Most=Brüx;Teplice=Teplitz`,
  SK: `Bratislava=Pressburg=Presburgo=BA=Presporok;Košice=Kaschau=KE;Banská Bystrica=B. Bystrica=Ban. Bystrica;Nitra=Neutra;Komárno=Komárom;Žilina=Sillein;Nové Mesto nad Váhom=Nové Mesto n. Váhom;Trnava=Tyrnau;Prešov=Preschau;Trenčín=Trentschin`,
  HU: `Budapest=Bp=Pest=Buda=Ofen;Pécs=Fünfkirchen=Pečuh;Győr=Raab;Sopron=Ödenburg;Székesfehérvár=Szfvár=Stuhlweißenburg=Fehérvár;Szeged=Szegedin;Debrecen=Debreczin;Nyíregyháza=Nyh;Esztergom=Gran;Szombathely=Steinamanger`,
  RO: `București=Bucharest=Buc;Sibiu=Hermannstadt=Nagyszeben=Szeben;Braşov=Kronstadt;Brașov=Kronstadt;Cluj-Napoca=Cluj=Klausenburg=Kolozsvár;Timişoara=Temeswar;Timișoara=Temeswar;Oradea=Nagyvárad=Großwardein;Iaşi=Jassy;Iași=Jassy;Târgu-Mureş=Tg. Mureș=Marosvásárhely=Neumarkt;Târgu Jiu=Tg Jiu;
    Drobeta-Turnu Severin=Turnu Severin;Satu Mare=Szatmárnémeti;Baia Mare=Nagybánya;Alba Iulia=Gyulafehérvár`,
  HR: `Zagreb=Agram=Zagabria=ZG=Záhřeb;Dubrovnik=Ragusa;Rijeka=Fiume;Split=Spalato;Zadar=Zara;Pula=Pola;Osijek=Esseg;Varaždin=Warasdin;Šibenik=Sebenico;Poreč=Parenzo;Rovinj=Rovigno`,
  SI: `Ljubljana=Laibach=Lubiana=LJ;Maribor=Marburg=MB;Koper=Capodistria=Koper/Capodistria;Piran=Pirano;Celje=Cilli;Ptuj=Pettau;Kranj=Krainburg;Novo Mesto=Rudolfswerth;Izola=Isola;Bled=Veldes`,
  RS: `Beograd=Belgrade=BG=Bgd;Novi Sad=Neusatz=Újvidék=NS;Niš=Nis=Nisch;Subotica=Szabadka;Zrenjanin=Nagybecskerek;Sombor=Zombor`,
  MK: `Bitola=Monastir;Skopje=Skoplje=Üsküp;Tetovo=Tetova`,
  BG: `Sofia=Sofija;Ruse=Rousse=Rustschuk=Russe;Plovdiv=Philippopolis=Filibe;Varna=Warna;Burgas=Bourgas;Veliko Tŭrnovo=Veliko Tarnovo;Veliko Tarnovo=Veliko Turnovo`,
  LT: `Vilnius=Wilna=Wilno=Vilno;Kaunas=Kowno=Kovno;Klaipėda=Memel;Šiauliai=Schaulen`,
  LV: `Riga=Rīga=Ryga=Riika;Daugavpils=Dünaburg=Dyneburg;Liepāja=Libau;Jelgava=Mitau;Ventspils=Windau;Cēsis=Wenden`,
  EE: `Tallinn=Reval=Tallin=Tln;Tartu=Dorpat;Pärnu=Pernau;Narva=Narwa;Viljandi=Fellin;Kuressaare=Arensburg;Haapsalu=Hapsal;Rakvere=Wesenberg;Võru=Werro`,
  RU: `Москва=Moscow=Мск=Moskwa;Санкт-Петербург=Saint Petersburg;Nizhniy Novgorod=Нижний=Н. Новгород=НН;Yekaterinburg=Екб=Ебург;Novosibirsk=Нск=Новосиб;Rostov-na-Donu=Ростов=Ростов н/Д;Kaliningrad=Königsberg;Vladivostok=Владик;Krasnoyarsk=Крск;Chelyabinsk=Челяба`,
  UA: `Kyiv=Київ=Kijów;Lviv=Lemberg=Lwów=Львов=Leopoli;Chernivtsi=Czernowitz=Черновцы;Odesa=Odessa;Kharkiv=Kharkov;Ivano-Frankivsk=Ів.-Франківськ=Франківськ=Івано-Франк=Ивано-Франковск;Dnipro=Дніпро=Dnepropetrovsk=Dnipropetrovsk;Uzhhorod=Uzhgorod;Mykolaiv=Nikolaev;Ternopil=Tarnopol`,
  TR: `Istanbul=İst=Constantinople=Konstantinopel;İzmir=Smyrna;Ankara=Angora;Gaziantep=Antep;Şanlıurfa=Urfa;Kahramanmaraş=Maraş;Antakya=Hatay=Antioch;İzmit=Kocaeli;Adapazarı=Sakarya;Mersin=İçel;Edirne=Adrianople;Bursa=Brusa;Trabzon=Trebizond`,
  PT: `Lisboa=Lisbon=Lissabon=Lisbonne=Lisbona=Lx;Porto=Oporto;Vila Nova de Gaia=VN Gaia=V. N. de Gaia;São João da Madeira=S. João da Madeira;Vila Real de Santo António=VRSA;Vila Nova de Famalicão=VN Famalicão;Póvoa de Varzim=Póvoa;Caldas da Rainha=Caldas`,
  IE: `Dublin=Baile Átha Cliath=BAC;Cork=Corcaigh;Galway=Gaillimh;Limerick=Luimneach;Sligo=Sligeach;Waterford=Port Láirge;Kilkenny=Cill Chainnigh;Tralee=Trá Lí;Wexford=Loch Garman;Ennis=Inis;Drogheda=Droichead Átha;Dundalk=Dún Dealgan;Letterkenny=Leitir Ceanainn`,
  MT: `Valletta=La Valletta=Il-Belt=Belt Valletta;Sliema=Tas-Sliema;San Ġiljan=Saint Julian=St Julian's`,
  CY: `Nicosia=Lefkosia=Lefkoşa=Nikosia=Λευκωσία;Limassol=Lemesos=Λεμεσός;Larnaca=Larnaka;Paphos=Pafos`,
  VA: `Città del Vaticano=Vatican City=Vaticano=Vatikanstadt=Vatikan=Cité du Vatican`,
  MX: `Ciudad de México=Mexico City=DF;Guadalajara=Gdl;Monterrey=Mty;San Luis Potosí=SLP;Ciudad Juárez=Juárez;Querétaro=Qro;Tijuana=TJ;Oaxaca=Oaxaca de Juárez;Acapulco de Juárez=Acapulco;Culiacán=Culiacán Rosales;Heroica Matamoros=Matamoros;Toluca=Toluca de Lerdo;Cancún=Cancun;
    Morelia=Valladolid de Michoacán;Victoria de Durango=Durango;Xalapa de Enríquez=Xalapa;Pachuca de Soto=Pachuca;Tuxtla Gutiérrez=Tuxtla`,
  AR: `Buenos Aires=CABA=Capital Federal=Bs As;Mar del Plata=Mardel=MdP;San Miguel de Tucumán=S. M. de Tucumán;Comodoro Rivadavia=Comodoro;San Carlos de Bariloche=Bariloche;San Salvador de Jujuy=Jujuy=SS de Jujuy;Córdoba=Cba;Rosario=Ros`,
  BR: `São Paulo=SP=S Paulo;Belo Horizonte=BH=Belô;Porto Alegre=POA;Florianópolis=Floripa;São José dos Campos=S. J. dos Campos=SJC;Rio de Janeiro=Rio=RJ;Santo André=Sto André;Brasília=BSB;Curitiba=CWB;Salvador=SSA;São José do Rio Preto=Rio Preto;Juiz de Fora=JF`,
  CL: `Santiago=Stgo;Viña del Mar=Viña;Concepción=Conce;Valparaíso=Valpo;Antofagasta=Antofa;Puerto Montt=Pto Montt`,
  CO: `Bogotá=Bogotá D.C.=Bta;Barranquilla=B/quilla=Curramba;Bucaramanga=Buca;Santa Marta=Sta Marta;Cartagena=Cartagena de Indias;Medellín=Medallo;Cali=Santiago de Cali;Pasto=San Juan de Pasto`,
  PE: `Cusco=Cuzco=Qosqo;Lima=LIM;Chosica=Lurigancho-Chosica`,
  EC: `Santo Domingo de los Colorados=Santo Domingo=Santo Domingo de los Tsáchilas;Quito=UIO;Guayaquil=Gye`,
  GT: `Guatemala=Guatemala City=Ciudad de Guatemala;Quetzaltenango=Xela=Xelajú;Antigua Guatemala=Antigua`,
  CR: `San José=San Jose=SJO=Chepe=Sn José;San Isidro=Pérez Zeledón=San Isidro del General`,
  PA: `Panamá=Panama City=Ciudad de Panamá`,
  DO: `Santo Domingo=Sto Domingo=SD;Santiago de los Caballeros=Santiago`,
  UY: `Montevideo=Mvd`,
  AU: `Brisbane=Brissie=Brisvegas=Bris;Fremantle=Freo;Surfers Paradise=Surfers;Melbourne=Melb;Sydney=Syd;Adelaide=Adl=Radelaide;Newcastle=Newy;Wollongong=Gong;Rockhampton=Rocky;Townsville=Townsvegas;Toowoomba=T'ba;Gold Coast=GC;Alice Springs=Alice;North Sydney=Nth Sydney;Hobart=Hobs;Canberra=Canb`,
  NZ: `Palmerston North=Palmy=Palmerston Nth=Palmy North;Christchurch=Chch;Auckland=Akl=Tāmaki Makaurau;Wellington=Te Whanganui-a-Tara=Welly=Wgtn;Mount Maunganui=Mt Maunganui=The Mount;Dunedin=Ōtepoti;Hamilton=Kirikiriroa;Tauranga=Tga;Invercargill=Waihōpai;New Plymouth=Ngāmotu;Napier=Ahuriri;
    Whangarei=Whangārei;Queenstown=Tāhuna`,
  ZA: `Johannesburg=Joburg=Jozi=Jhb;Port Elizabeth=PE;Pietermaritzburg=Maritzburg=PMB;Cape Town=Kaapstad=Ciudad del Cabo=CPT;Pretoria=Pta;Durban=eThekwini=Dbn;Nelspruit=Mbombela;Polokwane=Pietersburg;East London=eMonti=Buffalo City;Bloemfontein=Bloem;Grahamstown=Makhanda`,
  IN: `Mumbai=Bombay=BOM;Kolkata=Calcutta=Cal;Chennai=Madras;Bengaluru=Bangalore=B'lore;Pune=Poona;Varanasi=Benares;Kochi=Cochin;Thiruvananthapuram=Trivandrum=TVM;Mysuru=Mysore;Vadodara=Baroda;Visakhapatnam=Vizag;Panaji=Panjim=Pangim;Shimla=Simla;Kanpur=Cawnpore;Hyderabad=Hyd;Guwahati=Gauhati;
    Navi Mumbai=New Bombay;Prayagraj=Allahabad;Gurugram=Gurgaon;Tiruchirappalli=Trichy;Kozhikode=Calicut;Mangaluru=Mangalore;Puducherry=Pondicherry;New Delhi=ND=N Delhi;Delhi=Dilli;Vijayawada=Bezawada;Thrissur=Trichur;Kollam=Quilon;Coimbatore=Kovai=Cbe;Ahmedabad=Amdavad;Ahmadābād=Amdavad;
    Chandigarh=Chd`,
  PK: `Islamabad=Isb;Rawalpindi=Pindi=Rwp;Karachi=Khi;Lahore=Lhr;Dera Ghazi Khan=D.G. Khan;Dera Ismail Khan=D I Khan;Faisalabad=Lyallpur=Fsd;Rahim Yar Khan=R Y Khan=RYK;Sahiwal=Montgomery;Attock=Campbellpur;Nawabshah=Benazirabad`,
  BD: `Dhaka=Dacca;Chattogram=Chittagong=Ctg=Chattagram;Cumilla=Comilla;Barishal=Barisal;Bogura=Bogra;Jashore=Jessore;Cox's Bazar=Coxs Bazar=Cox Bazar`,
  LK: `Colombo=Kolombo;Kandy=Maha Nuwara;Nuwara Eliya=N'Eliya;Anuradhapura=A'pura`,
  CN: `Beijing=Peking;Guangzhou=Canton;Nanjing=Nanking;Qingdao=Tsingtao;Chongqing=Chungking;Xi’an=Xian;Xi'an=Sian;Tianjin=Tientsin;Shanghai=Schanghai;Xiamen=Amoy;Lhasa=拉萨;Shenyang=Mukden;Dalian=Port Arthur;Hangzhou=Hangchow;Suzhou=Soochow;Chengdu=Chengtu;Harbin=Kharbin;Ürümqi=Urumchi=乌鲁木齐`,
  TW: `Taipei=Taibei;Kaohsiung=Gaoxiong;Hsinchu=Hsin-chu;Taichung=Taizhong;Chiayi=Jiayi=嘉義;Chiayi City=Jiayi=Chiayi;Hualien City=Hualien=花蓮;Taitung City=Taitung`,
  JP: `Tokyo=Tokio=Tokyo-to=Tokyo City;Osaka=Ōsaka=Osaka City;Kyoto=Kioto;Yokohama=Yokohama-shi;Kobe=Kōbe;Nagoya=Nagoya-shi;Sapporo=Sapporo-shi;Ōita=Oita`,
  KR: `Seoul=Séoul;Busan=Pusan;Incheon=Inchon;Daegu=Taegu;Gwangju=Kwangju;Daejeon=Taejon;Jeju City=Jeju=제주=제주시;Jeju=Cheju=제주;Suwon=Suwon-si;Ulsan=Ulsan-si;Changwon=Changwon-si`,
  TH: `Bangkok=BKK=Krung Thep Maha Nakhon=Bangkok City=กรุงเทพ=กรุงเทพฯ=กทม;Pattaya=Pattaya City;Phuket=Ko Phuket=Koh Phuket;Ko Samui=Koh Samui=Samui;Nakhon Ratchasima=Korat=Khorat=โคราช;Phra Nakhon Si Ayutthaya=Ayutthaya=Nakhon Si Ayutthaya=อยุธยา;Chiang Mai=Chiangmai;Hat Yai=Haad Yai`,
  ID: `Jakarta=Jkt=DKI Jakarta=Kota Jakarta;Bandung=Bdg;Surabaya=Sby;Yogyakarta=Jogja=Djokjakarta=Yogya;Makassar=Ujung Pandang;Surakarta=Solo;Jakarta Selatan=South Jakarta=Jaksel;Medan=Kota Medan;Semarang=Smg;Denpasar=Dps;Malang=Kota Malang;Bogor=Buitenzorg`,
  MY: `Kuala Lumpur=KL;Johor Bahru=JB=Johore Bahru=Johor Baru;Kota Kinabalu=KK;Petaling Jaya=PJ;Melaka=Malacca;George Town=Penang;Kuching=Kch;Seremban=Srmbn`,
  PH: `Quezon City=QC;Cagayan de Oro=CDO;General Santos=GenSan=General Santos City;Manila=Manille=Mla;Makati City=Makati=City of Makati;Taguig=BGC=Taguig City;Cebu City=Cebu=Sugbo;Davao=Davao City;Zamboanga=Zamboanga City=Zambo;Iloilo=Iloilo City;Baguio=Baguio City;Legaspi=Legazpi=Legazpi City;
    Angeles City=Angeles;Pasig City=Pasig`,
  MA: `Casablanca=Casa=Dar al-Bayda;Marrakech=Marrakesh=Marrakesch;Fès=Fes;Tanger=Tangier=Tangiers;Essaouira=Mogador;Laayoune=Laâyoune=El Aaiún;El Jadida=Mazagan`,
  DZ: `Alger=Algiers;Annaba=Bône;Bejaïa=Bougie;Skikda=Philippeville;Oran=Orán=Wahran;Constantine=Cirta=Qacentina`,
  SG: `Singapore=Singapur=Cingapura=S'pore`,
  GL: `Nuuk=Godthåb;Ilulissat=Jakobshavn;Sisimiut=Holsteinsborg`,
  FO: `Tórshavn=Thorshavn`,
  AZ: `Bakı=Baku;Gəncə=Ganja=Gyandzha=Kirovabad;Sumqayit=Sumqayıt`,
  BY: `Minsk=Минск;Homyel=Gomel;Hrodna=Grodno;Vitsebsk=Vitebsk;Mahilyow=Mogilev=Mahiliou;Brest=Brest-Litovsk=Brześć`,
  MD: `Chișinău=Chisinau=Kishinev;Bălţi=Bălți=Beltsy;Bălți=Beltsy`,
  MC: `Monaco=Monte Carlo;Monte-Carlo=Monaco`,
  NC: `Nouméa=Noumea`,
}

/** Each list begins with the city's own name; the second is the English one if there is another. */
export function typedNames(country: string): string[][] {
  return splitNames(NAMES[country] ?? '')
}
