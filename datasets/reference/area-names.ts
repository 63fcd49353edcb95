/**
 * Other names of areas: in the country's languages, in English, and short. They are written by hand from ISO 3166-2
 * and common knowledge, because sources name an area in one language.
 */

/** Areas between semicolons, names and codes of each between `=`. */
const NAMES: Readonly<Record<string, string>> = {
  US: `Alabama=Ala;Arizona=Ariz;Arkansas=Ark;California=Calif=Cal;Colorado=Colo;Connecticut=Conn;Delaware=Del;Florida=Fla;Illinois=Ill;
    Indiana=Ind;Kansas=Kan;Kentucky=Ky;Massachusetts=Mass;Michigan=Mich;Minnesota=Minn;Mississippi=Miss;Nebraska=Neb;Nevada=Nev;
    New Hampshire=N.H.;New Jersey=N.J.;New Mexico=N.M.=N Mex;New York=N.Y.;North Carolina=N.C.;North Dakota=N.D.=N Dak;Oklahoma=Okla;
    Oregon=Ore;Pennsylvania=Penn=Penna;Rhode Island=R.I.;South Carolina=S.C.;South Dakota=S.D.=S Dak;Tennessee=Tenn;Texas=Tex;
    Washington=Wash;West Virginia=W.Va.=W Va;Wisconsin=Wis;Wyoming=Wyo;District of Columbia=D.C.=Washington DC`,
  CA: `Quebec=Québec=PQ=Que;Ontario=Ont;British Columbia=Colombie-Britannique;Newfoundland and Labrador=Newfoundland=Terre-Neuve-et-Labrador=Terre-Neuve=Nfld;
    Prince Edward Island=PEI=Île-du-Prince-Édouard;Nova Scotia=Nouvelle-Écosse;New Brunswick=Nouveau-Brunswick;Alberta=Alta;Manitoba=Man;
    Saskatchewan=Sask;Northwest Territories=Territoires du Nord-Ouest;Yukon=Yukon Territory`,
  AU: `New South Wales=NSW;Victoria=Vic;Queensland=Qld;Western Australia=WA=West Australia;South Australia=SA;Tasmania=Tas;
    Northern Territory=NT;Australian Capital Territory=ACT`,
  NL: `Zuid-Holland=South Holland=ZH=Südholland;Noord-Holland=North Holland=NH=Nordholland;Noord-Brabant=North Brabant=NB=Nordbrabant=Brabant;
    Fryslân=Friesland=FR;Gelderland=GE=Guelders;Groningen=GR;Limburg=LI;Overijssel=OV;Utrecht=UT;Zeeland=ZE=Seeland;Flevoland=FL;Drenthe=DR`,
  BE: `Oost-Vlaanderen=East Flanders=Flandre orientale=Flandre-Orientale=Ostflandern=VOV;West-Vlaanderen=West Flanders=Flandre occidentale=Westflandern=VWV;
    Vlaams-Brabant=Flemish Brabant=Brabant flamand=Flämisch-Brabant=VBR;Antwerpen=Anvers=Antwerp=VAN;Limburg=Limbourg=VLI;
    Brabant wallon=Waals-Brabant=Walloon Brabant=WBR;Hainaut=Henegouwen=Hennegau=WHT;Liège=Luik=Lüttich=WLG;Luxembourg=Luxemburg=WLX;
    Namur=Namen=WNA;Vlaanderen=Flanders=Flandre=Flandern=Vlaams Gewest=Flemish Region=VLG;Wallonie=Wallonië=Wallonia=Wallonien=WAL;
    Bruxelles-Capitale=Brussels=Brussel=Bruxelles=Brüssel=Brussels Capital=Brussels Hoofdstedelijk Gewest=Brussel-Hoofdstad=Bruxelles (19 communes)=BRU`,
  DK: `Nordjylland=North Denmark=North Jutland=Region Nordjylland=81;Midtjylland=Central Jutland=Central Denmark=Region Midtjylland=82;
    Syddanmark=South Denmark=Southern Denmark=Region Syddanmark=83;Hovedstaden=Capital Region=Region Hovedstaden=Capital Region of Denmark=84;
    Sjælland=Zealand=Region Zealand=Region Sjælland=85`,
  SE: `Stockholm=Stockholms län=AB;Skåne=Scania=M;Västra Götaland=O;Östergötland=E;Uppsala=C;Norrbotten=BD;Västerbotten=AC;Jönköping=F;
    Kalmar=H;Kronoberg=G;Gotland=I;Blekinge=K;Halland=N;Värmland=S;Örebro=T;Västmanland=U;Dalarna=Dalecarlia=W;Gävleborg=X;Västernorrland=Y;
    Jämtland=Z;Södermanland=Sörmland=D`,
  NO: `Oslo=Oslo County=03;Vestland=Hordaland=Sogn og Fjordane=46;Innlandet=Hedmark=Oppland=34;Agder=Aust-Agder=Vest-Agder=42;Troms=Troms og Finnmark=55;
    Trøndelag=Sør-Trøndelag=Nord-Trøndelag=50;Viken=Akershus=Buskerud=Østfold;Møre og Romsdal=15;Vestfold og Telemark=Vestfold=Telemark`,
  FI: `Uusimaa=Helsinki-Uusimaa=Nyland=Newland=18;Pirkanmaa=Birkaland=Tampere Region=11;Varsinais-Suomi=Southwest Finland=Egentliga Finland=Finland Proper=19;
    Lappi=Lapland=Lappland=10;Pohjois-Pohjanmaa=North Ostrobothnia=Norra Österbotten=Northern Ostrobothnia=14;Satakunta=Satakunda=17;
    Keski-Suomi=Central Finland=Mellersta Finland=08;Pohjanmaa=Ostrobothnia=Österbotten=12;Etelä-Pohjanmaa=South Ostrobothnia=Southern Ostrobothnia=Södra Österbotten=03;
    Keski-Pohjanmaa=Central Ostrobothnia=Mellersta Österbotten=07;Pohjois-Savo=North Savo=Northern Savo=Northern Savonia=Norra Savolax=15;
    Etelä-Savo=South Savo=Southern Savonia=Södra Savolax=04;Pohjois-Karjala=North Karelia=Norra Karelen=13;Etelä-Karjala=South Karelia=Södra Karelen=02;
    Kymenlaakso=Kymmenedalen=09;Kanta-Häme=Tavastia Proper=Häme=Egentliga Tavastland=06;Päijät-Häme=Päijänne Tavastia=Päijänne-Tavastland=16;Kainuu=Kajanaland=05;
    Åland=Ahvenanmaa=Åland Islands=Landskapet Åland=Mariehamns stad=Ålands landsbygd=Ålands skärgård=01`,
  PL: `Wielkopolskie=Greater Poland=Wielkopolska=Großpolen=WP=30;Małopolskie=Lesser Poland=Małopolska=Kleinpolen=MA=12;Mazowieckie=Mazovia=Masovian=Mazowsze=Masovia=MZ=14;
    Dolnośląskie=Lower Silesia=Lower Silesian=Dolny Śląsk=Niederschlesien=DS=02;Pomorskie=Pomerania=Pomeranian=Pomorze=PM=22;Śląskie=Silesia=Silesian=Śląsk=Schlesien=SL=24;
    Lubelskie=Lublin=Lubelszczyzna=LU=06;Łódzkie=Łódź=Lodz=LD=10;Zachodniopomorskie=West Pomerania=West Pomeranian=Western Pomerania=ZP=32;
    Kujawsko-Pomorskie=Kuyavian-Pomeranian=Kuyavia-Pomerania=KP=04;Lubuskie=Lubusz=LB=08;Opolskie=Opole=OP=16;Podkarpackie=Subcarpathia=Subcarpathian=Podkarpacie=PK=18;
    Podlaskie=Podlasie=PD=20;Świętokrzyskie=Holy Cross=SK=26;Warmińsko-Mazurskie=Warmia-Masuria=Warmian-Masurian=Warmia i Mazury=WN=28`,
  CZ: `Jihomoravský kraj=Jihomoravský=South Moravian=South Moravia=Südmähren=JM;Moravskoslezský kraj=Moravskoslezský=Moravian-Silesian=Moravia-Silesia=MO;
    Středočeský kraj=Středočeský=Central Bohemian=Central Bohemia=ST;Plzeňský kraj=Plzeňský=Plzen=Pilsen=PL;Hlavní město Praha=Praha=Prague=Prag=Capital City of Prague=PR;
    Jihočeský kraj=Jihočeský=South Bohemian=South Bohemia=JC;Karlovarský kraj=Karlovarský=Karlovy Vary=KA;Ústecký kraj=Ústecký=Ústí nad Labem=US;
    Liberecký kraj=Liberecký=Liberec=LI;Královéhradecký kraj=Královéhradecký=Hradec Králové=KR;Pardubický kraj=Pardubický=Pardubice=PA;
    Kraj Vysočina=Vysočina=Vysocina=Highlands=VY;Olomoucký kraj=Olomoucký=Olomouc=OL;Zlínský kraj=Zlínský=Zlin=Zlín=ZL`,
  SK: `Bratislavský kraj=Bratislavský=Bratislava=BL;Košický kraj=Košický=Košice=Kosice=KI;Žilinský kraj=Žilinský=Žilina=Zilina=ZI;Nitriansky kraj=Nitriansky=Nitra=NI;
    Prešovský kraj=Prešovský=Prešov=Presov=PV;Banskobystrický kraj=Banskobystrický=Banská Bystrica=Banska Bystrica=BC;Trnavský kraj=Trnavský=Trnava=TA;Trenčiansky kraj=Trenčiansky=Trenčín=Trencin=TC`,
  IS: `Capital Region=Höfuðborgarsvæði=Höfuðborgarsvæðið;Southern Peninsula=Suðurnes;West=Vesturland;Westfjords=Vestfirðir;Northwest=Norðurland vestra;
    Northeast=Norðurland eystra;East=Austurland;South=Suðurland`,
  LK: `Western Province=Basnāhira paḷāta;Central Province=Madhyama paḷāta;Southern Province=Dakuṇu paḷāta;Northern Province=Uturu paḷāta;
    Eastern Province=Næ̆gĕnahira paḷāta;North Western Province=Vayamba paḷāta;North Central Province=Uturumæ̆da paḷāta;Province of Uva=Ūva paḷāta=Uva Province;
    Sabaragamuwa Province=Sabaragamuva paḷāta`,
  BG: `Велико Търново=Veliko Turnovo=Veliko Tarnovo;Враца=Vraca=Vratsa;Кърджали=Kurdzhali=Kardzhali;Кюстендил=Kjustendil=Kyustendil;Смолян=Smoljan=Smolyan;
    София=Sofija;София (столица)=Sofija (stolica)=Sofia-Grad=Sofia City=Sofia=22;Търговище=Turgovishhe=Targovishte;Ямбол=Jambol=Yambol`,
  HU: `Csongrád-Csanád=Csongrád=CS;Győr-Moson-Sopron=GS;Hajdú-Bihar=HB;Pest=PE;Borsod-Abaúj-Zemplén=BZ=B.A.Z.;Jász-Nagykun-Szolnok=JN;Szabolcs-Szatmár-Bereg=SZ`,
  HR: `Splitsko-dalmatinska=Split-Dalmatia=17;Istarska=Istria=Istra=Istrien=18;Grad Zagreb=City of Zagreb=21;Zagrebačka=Zagreb County=01;Primorsko-goranska=Primorje-Gorski Kotar=08;
    Dubrovačko-neretvanska=Dubrovnik-Neretva=19;Zadarska=Zadar=13;Osječko-baranjska=Osijek-Baranja=14;Šibensko-kninska=Šibenik-Knin=15;Varaždinska=Varaždin=05;
    Međimurska=Međimurje=20;Sisačko-moslavačka=Sisak-Moslavina=03;Karlovačka=Karlovac=04;Ličko-senjska=Lika-Senj=09;Vukovarsko-srijemska=Vukovar-Syrmia=16;
    Koprivničko-križevačka=Koprivnica-Križevci=06;Krapinsko-zagorska=Krapina-Zagorje=02;Virovitičko-podravska=Virovitica-Podravina=10;Požeško-slavonska=Požega-Slavonia=11;
    Brodsko-posavska=Brod-Posavina=12;Bjelovarsko-bilogorska=Bjelovar-Bilogora=07`,
  PT: `Açores=Azores=Azoren=20;Madeira=30;Faro=Algarve=08;Lisboa=Lisbon=Lissabon=11;Porto=Oporto=13;Setúbal=15;Évora=07;Bragança=04;Santarém=14;Coimbra=06`,
  ES: `Cataluña=Catalunya=Catalonia=Katalonien=Catalogne=CT;Comunidad Valenciana=Comunitat Valenciana=Valencian Community=Valenciana=Valencia=València=VC;
    País Vasco=Euskadi=Basque Country=Pais Vasco=Baskenland=Pays Basque=PV;Baleares=Islas Baleares=Illes Balears=Balearic Islands=Balearen=Balears=IB;
    Andalucía=Andalusia=Andalusien=AN;Aragón=Aragon=Aragó=AR;Galicia=Galiza=GA;Castilla y León=Castile and León=Castilla - Leon=Castilla-León=CL;
    Castilla-La Mancha=Castile-La Mancha=Castilla - La Mancha=CM;Madrid=Comunidad de Madrid=Community of Madrid=MD;Murcia=Región de Murcia=MC;
    Navarra=Comunidad Foral de Navarra=Navarre=Nafarroa=NC;Asturias=Principado de Asturias=Asturies=AS;La Rioja=RI;Extremadura=EX;Canarias=Canary Islands=Islas Canarias=Kanaren=CN;
    Bizkaia=Vizcaya=Biscay=BI;Gipuzkoa=Guipúzcoa=SS;Álava=Araba=Araba/Álava=VI;Alicante=Alacant=A;Castellón=Castelló=CS;Girona=Gerona=GI;Lleida=Lérida=L;
    Ourense=Orense=OR;A Coruña=La Coruña=C`,
  FR: `Provence-Alpes-Côte d'Azur=PACA=Région Sud=PAC;Île-de-France=IDF;Bretagne=Brittany=Breizh=BRE;Corse=Corsica=Korsika=20R=COR;Normandie=Normandy=NOR;
    Auvergne-Rhône-Alpes=ARA=AURA;Bourgogne-Franche-Comté=Burgundy=BFC;Hauts-de-France=HDF;Grand Est=Alsace-Champagne-Ardenne-Lorraine=GES;Nouvelle-Aquitaine=NAQ;Occitanie=Occitania=OCC;
    Pays de la Loire=PDL;Centre-Val de Loire=Centre=CVL`,
  IT: `Lombardia=Lombardy=Lombardei;Toscana=Tuscany=Toskana;Piemonte=Piedmont=Piemont;Sicilia=Sicily=Sizilien;Sardegna=Sardinia=Sardinien;Puglia=Apulia=Apulien;
    Trentino-Alto Adige=Trentino-South Tyrol=Alto Adige=Südtirol=South Tyrol=Trentino=Trentino-Alto Adige/Südtirol=Trentino-Südtirol;Lazio=Latium;Liguria=Ligurien;Veneto=Venetien;
    Friuli-Venezia Giulia=Friuli Venezia Giulia=FVG;Valle d'Aosta=Valle d'Aosta/Vallée d'Aoste=Aosta Valley=Vallée d'Aoste=Aostatal;Emilia-Romagna=Emilia Romagna;Marche=The Marches;Abruzzo=Abruzzi`,
  DE: `Bayern=Bavaria=Freistaat Bayern=Baviera=Bavière=BY;Nordrhein-Westfalen=North Rhine-Westphalia=NRW=NW=Nordrhein Westfalen;Rheinland-Pfalz=Rhineland-Palatinate=RLP=RP;
    Sachsen=Saxony=Freistaat Sachsen=SN;Niedersachsen=Lower Saxony=NI=NDS;Baden-Württemberg=Baden-Wuerttemberg=BW=BaWü;Hessen=Hesse=HE;Thüringen=Thuringia=Freistaat Thüringen=Thueringen=TH;
    Sachsen-Anhalt=Saxony-Anhalt=ST=LSA;Mecklenburg-Vorpommern=Mecklenburg-Western Pomerania=MV=Meck-Pomm;Schleswig-Holstein=SH;Brandenburg=BB;Saarland=SL;Berlin=BE=Land Berlin;
    Hamburg=HH=Freie und Hansestadt Hamburg;Bremen=HB=Freie Hansestadt Bremen`,
  AT: `Steiermark=Styria=Stmk=6;Tirol=Tyrol=7;Oberösterreich=Upper Austria=OÖ=Oberoesterreich=4;Niederösterreich=Lower Austria=NÖ=Niederoesterreich=3;Wien=Vienna=9;Kärnten=Carinthia=Ktn=Kaernten=2;
    Salzburg=Sbg=5;Vorarlberg=Vbg=8;Burgenland=Bgld=1`,
  CH: `Genève=Geneva=Genf=Ginevra=Canton de Genève=GE;Zürich=Zurich=Kanton Zürich=ZH;Basel-Stadt=Bâle-Ville=Basel City=Kanton Basel-Stadt=BS;Vaud=Waadt=Canton de Vaud=VD;Ticino=Tessin=Cantone Ticino=TI;
    Bern=Berne=Kanton Bern=Canton de Berne=BE;Luzern=Lucerne=Kanton Luzern=LU;Graubünden=Grisons=Grigioni=Kanton Graubünden=GR;Valais=Wallis=Canton du Valais=VS;St. Gallen=Saint-Gall=Kanton St. Gallen=SG;
    Fribourg=Freiburg=Canton de Fribourg=FR;Neuchâtel=Neuenburg=Canton de Neuchâtel=NE;Basel-Landschaft=Bâle-Campagne=Kanton Basel-Landschaft=Baselland=BL;Aargau=Argovie=Kanton Aargau=AG;
    Thurgau=Thurgovie=Kanton Thurgau=TG;Solothurn=Soleure=Kanton Solothurn=SO;Schaffhausen=Schaffhouse=Kanton Schaffhausen=SH;Zug=Zoug=Kanton Zug=ZG;Schwyz=Kanton Schwyz=SZ;Jura=Canton du Jura=JU;
    Glarus=Kanton Glarus=GL;Uri=Kanton Uri=UR;Obwalden=Kanton Obwalden=OW;Nidwalden=Kanton Nidwalden=NW`,
  GB: `England=ENG;Scotland=SCT=Alba;Wales=Cymru=WLS;Northern Ireland=NIR=NI`,
  IE: `Connacht=Connaught=Galway=Mayo=Sligo=Roscommon=Leitrim;Munster=Cork=Kerry=Limerick=Clare=Tipperary=Waterford;
    Leinster=Dublin=Kildare=Kilkenny=Wexford=Wicklow=Meath=Westmeath=Louth=Laois=Offaly=Carlow=Longford;Ulster=Donegal=Cavan=Monaghan`,
  MX: `Nuevo León=N.L.=NLE;Quintana Roo=Q. Roo=QRoo=ROO;Ciudad de México=Distrito Federal=CDMX=D.F.=Mexico City=CMX=DIF;Baja California=B.C.=BCN;Baja California Sur=B.C.S.=BCS;
    México=Estado de México=Edo. Mex.=Edomex=State of Mexico=MEX;Veracruz=Veracruz de Ignacio de la Llave=VER;Michoacán=Michoacán de Ocampo=MIC;Coahuila=Coahuila de Zaragoza=COA;
    Querétaro=Querétaro de Arteaga=QUE;San Luis Potosí=S.L.P.=SLP`,
  AR: `Ciudad Autónoma de Buenos Aires=CABA=Capital Federal=Distrito Federal=Buenos Aires F.D.=C;Tierra del Fuego=Tierra del Fuego, Antártida e Islas del Atlántico Sur=V`,
  CL: `Región Metropolitana=Santiago Metropolitan=RM=Metropolitana de Santiago=Región Metropolitana de Santiago=Santiago;Región del Biobío=Biobío=Bío-Bío=Bio Bio=BI;
    Región de La Araucanía=Araucanía=La Araucanía=Araucania=AR;Valparaíso=Región de Valparaíso=VS;O'Higgins=Libertador General Bernardo O'Higgins=Región de O'Higgins=LI;
    Magallanes=Magallanes y de la Antártica Chilena=Región de Magallanes y Antártica Chilena=Región de Magallanes=MA;Aysén=Aisén=Región de Aysén=AI`,
  CO: `Bogotá D.C.=Distrito Capital de Bogotá=DC;San Andrés y Providencia=Archipiélago de San Andrés=SAP`,
  PE: `Cusco=Cuzco=CUS;Callao=El Callao=CAL`,
  TR: `Mersin=İçel=Mersin(İçel)=33`,
  CN: `Beijing=北京=BJ;Tianjin=天津=TJ;Hebei=河北=HE;Shanxi=山西=SX;Inner Mongolia=Nei Mongol=内蒙古=内蒙古自治区=NM;Liaoning=辽宁=LN;Jilin=吉林=JL;Heilongjiang=黑龙江=HL;Shanghai=上海=SH;
    Jiangsu=江苏=JS;Zhejiang=浙江=ZJ;Anhui=安徽=AH;Fujian=福建=FJ;Jiangxi=江西=JX;Shandong=山东=SD;Henan=河南=HA;Hubei=湖北=HB;Hunan=湖南=HN;Guangdong=广东=GD=Canton;
    Guangxi=广西=广西壮族自治区=GX;Hainan=海南=HI;Chongqing=重庆=CQ;Sichuan=四川=SC;Guizhou=贵州=GZ;Yunnan=云南=YN;Tibet=Xizang=西藏=西藏自治区=XZ;Shaanxi=陕西=SN;Gansu=甘肃=GS;Qinghai=青海=QH;
    Ningxia=宁夏=宁夏回族自治区=NX;Xinjiang=新疆=新疆维吾尔自治区=XJ`,
  TW: `New Taipei=新北=新北市=NWT=New Taipei City;Taipei=臺北市=台北市=台北=TPE=Taipei City;Taichung=臺中市=台中市=台中=TXG=Taichung City;Tainan=臺南市=台南市=台南=TNN=Tainan City;
    Kaohsiung=高雄市=高雄=KHH=Kaohsiung City;Taoyuan=桃園市=桃園=TAO=Taoyuan City;Keelung=基隆市=基隆=KEE=Keelung City;Hsinchu City=新竹市=HSZ;Chiayi City=嘉義市=CYI;Yilan=宜蘭縣=宜蘭=ILA=Yilan County;
    Hualien=花蓮縣=花蓮=HUA=Hualien County;Taitung=臺東縣=台東縣=台東=TTT=Taitung County;Penghu=澎湖縣=澎湖=PEN=Penghu County;Kinmen=金門縣=金門=KIN=Kinmen County;Pingtung=屏東縣=屏東=PIF=Pingtung County;
    Nantou=南投縣=南投=NAN=Nantou County;Yunlin=雲林縣=雲林=YUN=Yunlin County;Changhua=彰化縣=彰化=CHA=Changhua County;Miaoli=苗栗縣=苗栗=MIA=Miaoli County`,
  KR: `Seoul=서울=서울특별시=11;Busan=부산=부산광역시=26;Daegu=대구=대구광역시=27;Incheon=인천=인천광역시=28;Gwangju=광주=광주광역시=29;Daejeon=대전=대전광역시=30;Ulsan=울산=울산광역시=31;
    Sejong=세종=세종특별자치시=50;Gyeonggi=경기=경기도=Kyonggi=41;Gangwon=강원=강원도=강원특별자치도=42;North Chungcheong=Chungcheongbuk=충청북도=충북=43;
    South Chungcheong=Chungcheongnam=충청남도=충남=44;North Jeolla=Jeollabuk=전라북도=전북=전북특별자치도=45;South Jeolla=Jeollanam=전라남도=전남=46;
    North Gyeongsang=Gyeongsangbuk=경상북도=경북=47;South Gyeongsang=Gyeongsangnam=경상남도=경남=48;Jeju=제주=제주도=제주특별자치도=49`,
  TH: `Bangkok=กรุงเทพ=Krung Thep;Chon Buri=Chonburi;Nakhon Ratchasima=Korat;Phang Nga=Phangnga;Phra Nakhon Si Ayutthaya=Ayutthaya=อยุธยา;Lop Buri=Lopburi;
    Prachin Buri=Prachinburi;Chai Nat=Chainat;Suphan Buri=Suphanburi;Si Sa Ket=Sisaket;Buri Ram=Buriram`,
  ID: `11=Aceh;12=Sumatera Utara=North Sumatra;13=Sumatera Barat=West Sumatra;14=Riau;15=Jambi;16=Sumatera Selatan=South Sumatra;17=Bengkulu;18=Lampung;19=Kepulauan Bangka Belitung=Bangka Belitung;
    21=Kepulauan Riau=Riau Islands;31=DKI Jakarta=Jakarta;32=Jawa Barat=West Java;33=Jawa Tengah=Central Java;34=DI Yogyakarta=Yogyakarta;35=Jawa Timur=East Java;36=Banten;51=Bali;
    52=Nusa Tenggara Barat=West Nusa Tenggara=NTB;53=Nusa Tenggara Timur=East Nusa Tenggara=NTT;61=Kalimantan Barat=West Kalimantan;62=Kalimantan Tengah=Central Kalimantan;63=Kalimantan Selatan=South Kalimantan;
    64=Kalimantan Timur=East Kalimantan;65=Kalimantan Utara=North Kalimantan;71=Sulawesi Utara=North Sulawesi;72=Sulawesi Tengah=Central Sulawesi;73=Sulawesi Selatan=South Sulawesi;
    74=Sulawesi Tenggara=Southeast Sulawesi;75=Gorontalo;76=Sulawesi Barat=West Sulawesi;81=Maluku=Moluccas;82=Maluku Utara=North Maluku;91=Papua Barat=West Papua;94=Papua`,
  MY: `Melaka=Malacca=MLK;Pulau Pinang=Penang=PNG;Johor=Johore=JHR;Kedah=KDH;Kelantan=KTN;Negeri Sembilan=NSN;Pahang=PHG;Perak=PRK;Perlis=PLS;Sabah=SBH;Sarawak=SWK;Selangor=SGR;Terengganu=Trengganu=TRG;
    Wilayah Persekutuan Kuala Lumpur=Kuala Lumpur=KUL`,
  IN: `Uttarakhand=Uttaranchal=UK=UT;Odisha=Orissa=OR=OD;Maharashtra=महाराष्ट्र=MH;Delhi=NCT of Delhi=दिल्ली=DL;Uttar Pradesh=उत्तर प्रदेश=UP=U.P.;Bihar=बिहार=BR;Rajasthan=राजस्थान=RJ;Gujarat=ગુજરાત=GJ;Karnataka=ಕರ್ನಾಟಕ=KA;
    Tamil Nadu=தமிழ்நாடு=TN=Tamilnadu;Kerala=കേരളം=KL;Telangana=తెలంగాణ=TG=TS;Andhra Pradesh=ఆంధ్ర ప్రదేశ్=AP;West Bengal=পশ্চিমবঙ্গ=WB;Madhya Pradesh=मध्य प्रदेश=MP;Punjab=ਪੰਜਾਬ=PB;Haryana=हरियाणा=HR;
    Chhattisgarh=Chattisgarh=CG=CT;Jharkhand=झारखंड=JH;Jammu & Kashmir=Jammu and Kashmir=J&K=JK;Puducherry=Pondicherry=PY;Assam=অসম=AS;Himachal Pradesh=हिमाचल प्रदेश=HP;Goa=गोवा=GA`,
  PK: `Khyber Pakhtunkhwa=KPK=KP=NWFP=North-West Frontier;Punjab=PB=پنجاب;Sindh=Sind=SD=سندھ;Balochistan=Baluchistan=BA=بلوچستان;Islamabad=Federal Capital=Islamabad Capital Territory=ICT=IS;
    Azad Kashmir=Azad Jammu and Kashmir=AJK=JK;Gilgit-Baltistan=Northern Areas=GB`,
  BD: `Chittagong=Chattogram=B=চট্টগ্রাম;Dhaka=C=ঢাকা=Dacca;Khulna=D=খুলনা;Rajshahi=E=রাজশাহী;Sylhet=G=সিলেট;Barisal=Barishal=A=বরিশাল;Rangpur=F=রংপুর`,
  PH: `Metro Manila=National Capital Region=NCR=Kalakhang Maynila=00;Ilocos=Ilocos Region=Region I=I=01;Cagayan Valley=Region II=II=02;Central Luzon=Region III=III=03;Calabarzon=Region IV-A=IV-A=40;
    Mimaropa=Region IV-B=IV-B=41;Bicol=Bicol Region=Region V=V=05;Western Visayas=Region VI=VI=06;Central Visayas=Region VII=VII=07;Eastern Visayas=Region VIII=VIII=08;Zamboanga Peninsula=Region IX=IX=09;
    Northern Mindanao=Region X=X=10;Davao=Davao Region=Region XI=XI=11;Soccsksargen=Region XII=XII=12;Caraga=Region XIII=XIII=13;Cordillera=Cordillera Administrative Region=CAR=15;
    Bangsamoro=BARMM=Autonomous Region in Muslim Mindanao=ARMM=14;Negros Island Region=NIR`,
  UA: `Lvivska=Lviv=Львівська=Львов=46;Odeska=Odesa=Odessa=Одеська=Odesska=51;Kharkivska=Kharkiv=Kharkov=Харківська=63;Zakarpatska=Zakarpattia=Transcarpathia=Закарпатська=21;Dnipropetrovska=Dnipropetrovsk=Дніпропетровська=12;
    Kyivska=Kyiv Oblast=Kiev Oblast=Київська=32;Kyiv=Kiev=Київ=City of Kyiv=30;Vinnytska=Vinnytsia=Вінницька=05;Volynska=Volyn=Волинська=07;Donetska=Donetsk=Донецька=14;Zhytomyrska=Zhytomyr=Житомирська=18;
    Zaporizka=Zaporizhzhia=Zaporizhia=Запорізька=23;Ivano-Frankivska=Ivano-Frankivsk=Івано-Франківська=26;Kirovohradska=Kirovohrad=Кіровоградська=35;Luhanska=Luhansk=Луганська=09;Mykolaivska=Mykolaiv=Миколаївська=48;
    Poltavska=Poltava=Полтавська=53;Rivnenska=Rivne=Рівненська=56;Sumska=Sumy=Сумська=59;Ternopilska=Ternopil=Тернопільська=61;Khersonska=Kherson=Херсонська=65;Khmelnytska=Khmelnytskyi=Хмельницька=68;
    Cherkaska=Cherkasy=Черкаська=71;Chernihivska=Chernihiv=Чернігівська=74;Chernivetska=Chernivtsi=Чернівецька=77;Avtonomna Respublika Krym=Crimea=Крим=43`,
  BY: `Grodno=Hrodna=HR;Moghilev=Mogilev=Mahilyow=MA`,
  MD: `Chișinău=Mun.Chisinau=CU;Gagauzia=Comrat=GA;Dubăsari=Dubasari Cr.=DU`,
  RU: `Краснодарский край=Krasnodar=KDA;Омская область=Omsk=OMS;Тульская область=Tula=TUL;Республика Татарстан=Татарстан Республика=Татарстан=Tatarstan=TA;Москва=Moscow=Moskau=MOW;Санкт-Петербург=Saint Petersburg=St Petersburg=SPE;
    Московская область=Moscow Oblast=MOS;Ленинградская область=Leningrad Oblast=LEN;Свердловская область=Sverdlovsk=SVE;Новосибирская область=Novosibirsk=NVS;Самарская область=Samara=SAM;Ростовская область=Rostov=ROS;
    Нижегородская область=Nizhny Novgorod=NIZ;Челябинская область=Chelyabinsk=CHE;Красноярский край=Krasnoyarsk=KYA;Пермский край=Perm=PER;Камчатский край=Камчатская область=Kamchatka=KAM;Карачаево-Черкесская Республика=Карачаево-Черкессия=Karachayevo-Cherkesiya=Karachayevo-Cherkesskaya=Karachay-Cherkessia=KC;
    Кабардино-Балкарская Республика=Kabardino-Balkariya=Kabardino-Balkaria=Kabardino-Balkarskaya Respublika=KB;Республика Саха (Якутия)=Саха (Якутия) Республика=Sakha=Saha=Yakutia=Якутия=SA;Чукотский автономный округ=Чукотский АО=Chukotka=CHU;
    Еврейская автономная область=Yevreyskaya=Jewish Autonomous Oblast=YEV;Забайкальский край=Читинская область=Transbaikal Territory=Zabaykalsky=ZAB;Северная Осетия-Алания Республика=North Ossetia=SE;Чеченская Республика=Chechnya=CE;Чувашская Республика=Чувашия=Chuvashia=CU;
    Удмуртская Республика=Udmurtiya=Udmurtia=UD;Ненецкий автономный округ=Ненецкий АО=Nenets=NEN;Сахалинская область=Sakhalin=SAK;Ханты-Мансийский автономный округ=Ханты-Мансийский АО=Khanty-Mansia=KHM;Ямало-Ненецкий автономный округ=Ямало-Ненецкий АО=Yamalo-Nenets=YAN;Воронежская область=Voronezh=VOR;Волгоградская область=Volgograd=VGG;
    Саратовская область=Saratov=SAR;Тюменская область=Tyumen=TYU;Приморский край=Primorsky=Primorye=Primorskiy (Maritime)=PRI;Хабаровский край=Khabarovsk=KHA;Иркутская область=Irkutsk=IRK;Калининградская область=Kaliningrad=KGD;
    Мурманская область=Murmansk=MUR;Республика Башкортостан=Башкортостан Республика=Башкортостан=Bashkortostan=BA;Ставропольский край=Ставрополье=Stavropol=STA;Кемеровская область=Kemerovo=KEM;Республика Алтай=Алтай Республика=Altai Republic=Altai=Altay, Respublika=AL;Алтайский край=Altai Krai=Altayskiy kray=ALT;Оренбургская область=Orenburg=ORE`,
  EE: `Harju maakond=Harjumaa=Harju=37;Tartu maakond=Tartumaa=Tartu=79;Pärnu maakond=Pärnumaa=Pärnu=68;Ida-Viru maakond=Ida-Virumaa=Ida-Viru=45;Lääne-Viru maakond=Lääne-Virumaa=60;Viljandi maakond=Viljandimaa=84;
    Saare maakond=Saaremaa=Saare=74;Rapla maakond=Raplamaa=71;Võru maakond=Võrumaa=87;Valga maakond=Valgamaa=81;Põlva maakond=Põlvamaa=64;Jõgeva maakond=Jõgevamaa=50;Järva maakond=Järvamaa=52;Lääne maakond=Läänemaa=56;Hiiu maakond=Hiiumaa=39`,
  LT: `Kauno apskritis=Kaunas=Kaunas County=KU;Vilniaus apskritis=Vilnius=Vilnius County=VL;Klaipėdos apskritis=Klaipėda=Klaipeda County=KL;Šiaulių apskritis=Šiauliai=Siauliai County=SA;Panevėžio apskritis=Panevėžys=Panevezys County=PN;
    Alytaus apskritis=Alytus=Alytus County=AL;Marijampolės apskritis=Marijampolė=Marijampole County=MR;Telšių apskritis=Telšiai=TE;Tauragės apskritis=Tauragė=TA;Utenos apskritis=Utena=UT`,
  ZA: `KwaZulu-Natal=Natal=KZN;Western Cape=Wes-Kaap=WC;Eastern Cape=Oos-Kaap=EC;Northern Cape=Noord-Kaap=NC;Free State=Orange Free State=Vrystaat=FS;North West=Noordwes=NW;Gauteng=GP=GT;Mpumalanga=MP;Limpopo=LP`,
}

/** Countries whose areas take the first name listed here. Sources mix English and own names. */
const OWN_FIRST = 'BE CH CO CZ DE DK ES FI HR IT LT NL PE PH PL PT RU SK TR ZA'.split(' ')

/** Returns the names and codes of each area of `country`. */
export function areaSynonyms(country: string): string[][] {
  return splitNames(NAMES[country] ?? '')
}

/** Returns the same of countries where the first name of each area is its own. */
export function ownAreas(country: string): string[][] {
  return OWN_FIRST.includes(country) ? areaSynonyms(country) : []
}

/** Splits a list by semicolons, and the names of each item by `=`. */
export function splitNames(list: string): string[][] {
  return list
    .split(';')
    .filter(names => names.trim() !== '')
    .map(names => names.split('=').map(name => name.trim()))
}
