/** Words for the synthetic workbook. Companies and people are invented; legal forms, roles and CAEM texts are real. */

/** Codes and labels of CAEM, the national version of NACE. CAEM_1 follows NACE rev.1, CAEM_2 follows NACE rev.2. */
export const CAEM_1: readonly (readonly [code: string, label: string])[] = [
  ['0111', 'Cultura cerealelor şi a altor culturi n.c.a.'],
  ['0112', 'Cultura legumelor, specialităţi horticole'],
  ['0113', 'Cultura fructelor, nucilor, culturilor pentru băuturi'],
  ['0121', 'Creşterea bovinelor'],
  ['141', 'Extracţia pietrei'],
  ['1581', 'Fabricarea pîinii; fabricarea produselor proaspete de patiserie'],
  ['1593', 'Fabricarea vinurilor'],
  ['451', 'Demolarea clădirilor, terasamente'],
  ['4521', 'Construcţii de clădiri'],
  ['4531', 'Lucrări de instalaţii electrice'],
  ['502', 'Întreţinerea şi repararea autovehiculelor'],
  ['5119', 'Intermedieri în comerţul cu produse diverse'],
  ['5139', 'Comerţ cu ridicata nespecializat cu produse alimentare'],
  ['5211', 'Comerţ cu amănuntul în magazine nespecializate, cu vînzare predominantă de produse alimentare'],
  ['5212', 'Comerţ cu amănuntul în magazine nespecializate, cu vînzare predominantă de produse nealimentare'],
  ['553', 'Restaurante'],
  ['6024', 'Transporturi rutiere de mărfuri'],
  ['702', 'Închirierea bunurilor imobiliare proprii'],
  ['7414', 'Consultaţii pentru afaceri şi management'],
  ['9302', 'Coafură şi alte activităţi de înfrumuseţare'],
];

export const CAEM_2: readonly (readonly [code: string, label: string])[] = [
  ['0111', 'Cultivarea cerealelor (exclusiv orez) şi a plantelor producătoare de seminţe oleaginoase'],
  ['0121', 'Cultivarea strugurilor'],
  ['0124', 'Cultivarea fructelor seminţoase şi sîmburoase'],
  ['0147', 'Creşterea păsărilor'],
  ['1071', 'Fabricarea pîinii; fabricarea prăjiturilor şi a produselor proaspete de patiserie'],
  ['1102', 'Fabricarea vinurilor din struguri'],
  ['1413', 'Fabricarea altor articole de îmbrăcăminte'],
  ['3109', 'Fabricarea de mobilă n.c.a.'],
  ['4120', 'Lucrări de construcţii a clădirilor rezidenţiale şi nerezidenţiale'],
  ['4321', 'Lucrări de instalaţii electrice'],
  ['4520', 'Întreţinerea şi repararea autovehiculelor'],
  ['4619', 'Intermedieri în comerţul cu produse diverse'],
  ['4690', 'Comerţ cu ridicata nespecializat'],
  ['4711', 'Comerţ cu amănuntul în magazine nespecializate, cu vînzare predominantă de produse alimentare'],
  ['4719', 'Comerţ cu amănuntul în magazine nespecializate, cu vînzare predominantă de produse nealimentare'],
  ['4791', 'Comerţ cu amănuntul prin intermediul caselor de comenzi sau prin Internet'],
  ['4932', 'Transporturi cu taxiuri'],
  ['4941', 'Transporturi rutiere de mărfuri'],
  ['5610', 'Restaurante'],
  ['6201', 'Activităţi de realizare a soft-ului la comandă'],
  ['6202', 'Activităţi de consultanţă în tehnologia informaţiei'],
  ['6820', 'Închirierea şi subînchirierea bunurilor imobiliare proprii sau închiriate'],
  ['6920', 'Activităţi de contabilitate şi audit financiar; consultanţă în domeniul fiscal'],
  ['7022', 'Activităţi de consultanţă pentru afaceri şi management'],
  ['7111', 'Activităţi de arhitectură'],
  ['7311', 'Activităţi ale agenţiilor de publicitate'],
  ['7911', 'Activităţi ale agenţiilor turistice'],
  ['8121', 'Activităţi generale de curăţenie a clădirilor'],
  ['8623', 'Activităţi de asistenţă stomatologică'],
  ['9602', 'Coafură şi alte activităţi de înfrumuseţare'],
];

export const LICENSED: readonly string[] = [
  'Activitatea de audit',
  'Activitatea farmaceutică',
  'Activitatea de turism',
  'Transportul auto de călători în folos public',
  'Comercializarea cu amănuntul a băuturilor alcoolice şi (sau) a berii',
  'Comercializarea cu amănuntul a produselor din tutun',
  'Activitatea de evaluare a bunurilor imobile',
  'Acordarea asistenţei medicale de către instituţiile medico-sanitare private',
  'Construcţiile de clădiri şi (sau) construcţii inginereşti, instalaţii şi reţele tehnico-edilitare',
  'Activitatea particulară de detectiv sau de pază',
  'Activitatea de broker vamal',
  'Funcţionarea caselor de amanet',
];

export const SURNAMES =
  `ALBU ARNAUT BABII BALAN BARBU BEJENARU BOTNARU BUGA BURLACU CALMÎC CARAMAN CAZACU CEBAN CEBOTARI CHIRIAC CIOBANU
  COJOCARU COROI COSTIN CREŢU CROITORU CUCU CUŞNIR DABIJA DODON DRAGAN DUCA FRUNZĂ FURTUNĂ GANEA GHERMAN GÎSCĂ GOLBAN
  GRECU GROSU GUŢU IACOB IONIŢĂ IVANOV JOSAN LEAHU LUNGU LUPAŞCU LUPU MACOVEI MARANDIUC MELNIC MIRON MOISEI MORARU
  MUNTEANU MUSTEAŢĂ NEGRU OLARU PALADI PASCARU PETROV PLĂMĂDEALĂ POPA POPOVICI PRODAN RAILEAN ROŞCA ROTARU RUSNAC RUSU
  SANDU SÎRBU SOLTAN SPÎNU STRATAN ŞOVA ŞTEFÎRŢĂ TABĂRĂ TIMOFTI TOMA TURCAN ŢURCANU UNGUREANU URSU VIERU VÎRLAN ZAGORNEANU`.split(
    /\s+/,
  );

export const GIVEN_NAMES =
  `ADRIAN ALEXANDRU ALINA ANA ANATOLIE ANDREI ANGELA AURELIA CORINA CRISTINA DIANA DORIN DUMITRU ECATERINA ELENA EUGENIU
  GALINA GHEORGHE GRIGORE IGOR ILIE INNA ION IRINA IULIANA IURIE LARISA LIDIA LILIA LIUDMILA MARCEL MARIA MARINA MIHAIL
  NADEJDA NATALIA NICOLAE OLEG OLGA PAVEL PETRU RAISA RODICA RUSLAN SERGIU SILVIA ŞTEFAN SVETLANA TATIANA TUDOR VALENTIN
  VALERIU VASILE VERONICA VICTOR VITALIE VLADIMIR ZINAIDA`.split(/\s+/);

/** Parts of invented company names: `VIRO` + `LACO`. */
export const SYLLABLES =
  `AGRO ALDA ANTO ARI BEL BIO BRA CARO CASA COD DANU DELTA DINA ECO ELI EURO FAR FLO GALA GREN HORA IDEA INTER IRI LACO
  LAND LEO LIMA LUX MAXI MELA MIRA NOVA ORBI PALE PRIM RADO RENO ROVI SALVA SEMA SOLE TERA TIRA TRANS UNI VALI VERA VIRO ZORI`.split(
    /\s+/,
  );

export const FIRM_WORDS =
  `AGRICOLA AUTO BUJOR CODRU COLINA COMERŢ CONSTRUCT DESIGN DIAMANT EXPRES FÎNTÎNA FLORILE GRUP IMPEX INVEST IZVORUL LACTIS
  LIVADA LOGISTIC LUNCA LUMINA MĂR MARKET MOBILĂ NISTRU NUCUL ORIZONT PIATRA PLAI PRIMĂVARA PRUT RĂSĂRIT SERVICE SOARE
  SPIC STEJAR STRUGUR STUDIO TRANSPORT VIN VIŢA ZIMBRU`.split(/\s+/);

export const PLACES: readonly (readonly [address: string, cuatm: number, postCode: number])[] = [
  ['mun. Chişinău, sec. Centru', 120, 2001],
  ['mun. Chişinău, sec. Rîşcani', 140, 2068],
  ['mun. Chişinău, sec. Botanica', 110, 2043],
  ['mun. Chişinău, sec. Buiucani', 130, 2071],
  ['mun. Chişinău, sec. Ciocana', 150, 2075],
  ['mun. Bălţi', 300, 3100],
  ['Orhei', 6401, 3500],
  ['Cahul', 1701, 3901],
  ['Soroca', 7801, 3000],
  ['Ungheni', 9201, 3601],
  ['Rezina', 6701, 5400],
  ['UTA Găgăuzia, mun. Comrat', 9601, 3800],
  ['Hînceşti, s. Lăpuşna', 5322, 3431],
  ['Ialoveni, com. Văsieni', 5545, 6827],
];

export const STREETS =
  'str. Alecsandri Vasile|str. Dacia|bd. Ştefan cel Mare şi Sfînt|str. Mihai Eminescu|str. Columna|str. Independenţei|str. Sadoveanu M.|str. 31 August 1989|şos. Hînceşti|str. Russo Alecu|str. Păcii|str-la Livezilor'.split(
    '|',
  );
