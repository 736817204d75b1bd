/**
 * Legal forms as they are written in names, by class. Written for this project from the lists of our registers, ISO 20275 (facts: which
 * forms a country has and how they are abbreviated) and common usage. A row: class | countries (none: used everywhere) | spellings.
 * Spellings are read like names, so dots, case and accents do not matter here.
 */
export interface FormRow {
  /** A `note` is no form, but what registers and people add to a name: it is not compared. */
  readonly class: string;
  readonly countries: readonly string[];
  readonly spellings: readonly string[];
}

const TABLE = `
limited | | Ltd, Limited, Ltd Co, Co Ltd, Company Limited, Co Limited, Limited Company, LLC, Limited Liability Company, Limited Liability Co, LC, Ld, Lmtd, Ldt, Private Limited, Pvt Ltd, Private Ltd, Pvt Limited, P Ltd, Pte Ltd, Pte, Pty Ltd, Pty Limited, Pty, Proprietary Limited, WLL, FZE, FZCO, FZ LLC, DMCC
limited | IE | Teoranta, Teo, DAC, Designated Activity Company
limited | IE,GB | CLG, Company Limited by Guarantee, Cyf, Cyfyngedig
limited | DE,AT,CH,LI | GmbH, Gesellschaft mit beschränkter Haftung, GesmbH, mbH, gGmbH, UG haftungsbeschränkt, UG, Unternehmergesellschaft haftungsbeschränkt
limited | FR,BE,LU,CH,CA,MC | SARL, Société à responsabilité limitée, EURL, SARLU, Sàrl, SPRL, BVBA, SRL, BV, Ltée, Limitée, Société anonyme à responsabilité limitée
limited | NL | BV, Besloten Vennootschap, Besloten vennootschap met beperkte aansprakelijkheid
limited | RO,MD | SRL, SC SRL, Societatea cu răspundere limitată, Societate cu răspundere limitată, SRL-D
limited | IT | SRL, Srls, Società a responsabilità limitata
limited | ES,AR,MX,PE,CL,CO,UY,BO | SL, SLU, SRL, Sociedad Limitada, Sociedad de Responsabilidad Limitada, S de RL de CV, S de RL, SLL
limited | PT,BR | Lda, Ltda, Limitada, Unipessoal Lda, EIRELI, Sociedade Limitada, Ltda ME, Ltda EPP, SLU
limited | CZ,SK | sro, spol s ro, s r o, společnost s ručením omezeným, spoločnosť s ručením obmedzeným
limited | PL | Sp z oo, Spzoo, Sp zoo, Spółka z ograniczoną odpowiedzialnością, Spolka z oo, SP ZOO
limited | HU | Kft, Korlátolt Felelősségű Társaság
limited | HR,SI,BA,RS,ME,MK | doo, društvo s ograničenom odgovornošću, dooel
limited | BG | EOOD, OOD, ЕООД, ООД
limited | RU,BY,KZ,UA,UZ,KG | OOO, ООО, Общество с ограниченной ответственностью, Obshchestvo s ogranichennoi otvetstvennostyu, TOO, ТОО, Товарищество с ограниченной ответственностью, ОДО
limited | UA | ТОВ, TOV, LLC TOV, Товариство з обмеженою відповідальністю, ТзОВ, ТДВ, Товариство з додатковою відповідальністю, Tovarystvo z obmezhenoiu vidpovidalnistiu
limited | UA | СТОВ, Сільськогосподарське товариство з обмеженою відповідальністю
limited | AU | P/L
limited | LV | SIA, Sabiedrība ar ierobežotu atbildību
limited | LT | UAB, Uždaroji akcinė bendrovė, MB, Mažoji bendrija
limited | EE | OÜ, Osaühing
limited | FI | Oy, Ky Oy, Osakeyhtiö, Oy Ab, Ab Oy, Oy Ltd
limited | SE,FI | AB, Aktiebolag, Aktiebolaget
limited | NO | AS, Aksjeselskap
limited | DK | ApS, Anpartsselskab, IVS
limited | TR | Ltd Şti, Limited Şirketi, Ltd Sti
limited | MY | Sdn Bhd, Sendirian Berhad
limited | ID | PT, Perseroan Terbatas
limited | JP | GK, Godo Kaisha, YK, Yugen Kaisha, 有限会社, 合同会社
limited | CN,TW,HK | 有限公司, 有限责任公司, 有限責任公司
limited | VN | TNHH, Cong ty TNHH, Công ty trách nhiệm hữu hạn
limited | GR,CY | EPE, ΕΠΕ, IKE, ΙΚΕ, Εταιρεία Περιορισμένης Ευθύνης
limited | AL | Shpk
stock | | PLC, Public Limited Company, Public Ltd Co, JSC, Joint Stock Company, Joint Stock Co, OJSC, Open Joint Stock Company, CJSC, Closed Joint Stock Company, PJSC, Public Joint Stock Company, Public Company Limited, PCL, SE, Societas Europaea
stock | GB | CCC, Cwmni Cyfyngedig Cyhoeddus
stock | IE | CPT, Cuideachta Phoiblí Theoranta
stock | DE,AT,CH,LI | AG, Aktiengesellschaft, AkG, KGaA, AG & Co KGaA, Kommanditgesellschaft auf Aktien
stock | FR,BE,LU,CH,ES,PT,BR,RO,AR,PL,GR,MX,CL,CO,PE | SA, S/A, Société anonyme, Sociedad Anónima, Sociedade Anónima, Societate pe acțiuni, Spółka Akcyjna, SAS, SASU, Société par actions simplifiée, SCA, Société en commandite par actions, SGPS SA, SAU, SAC, SpA, SA de CV, SAB de CV, SAPI de CV, Sociedad por acciones, Sociedade por ações, Cia, Ανώνυμη Εταιρεία, ΑΕ, Anonymi Etaireia
stock | NL,BE | NV, Naamloze Vennootschap
stock | IT | SpA, Società per azioni
stock | CZ,SK | as, a s, akciová společnost, akciová spoločnosť
stock | HU | Zrt, Nyrt, Részvénytársaság, Rt
stock | HR,SI,BA,RS | dd, ad, dioničko društvo, akcionarsko društvo
stock | BG | AD, EAD, АД, ЕАД
stock | RU,BY,KZ,UZ | AO, АО, OAO, ОАО, ZAO, ЗАО, PAO, ПАО, НАО, Акционерное общество, Открытое акционерное общество, Закрытое акционерное общество, Публичное акционерное общество, Aktsionernoe obshchestvo
stock | UA | АТ, AT, ПАТ, PAT, ПрАТ, PrAT, ВАТ, VAT, ЗАТ, ZAT, Акціонерне товариство, Приватне акціонерне товариство, Публічне акціонерне товариство, Відкрите акціонерне товариство
stock | LV | AS, A/S, Akciju sabiedrība
stock | LT | AB, Akcinė bendrovė
stock | EE | AS, Aktsiaselts
stock | FI | Oyj, Julkinen osakeyhtiö, Oyj Abp, Abp
stock | SE | AB publ, Publikt aktiebolag
stock | NO | ASA, Allmennaksjeselskap
stock | DK | A/S, Aktieselskab
stock | TR | AŞ, Anonim Şirketi, AS
stock | MY | Bhd, Berhad
stock | ID | PT Tbk, Tbk
stock | JP | KK, Kabushiki Kaisha, Kabushiki Gaisha, 株式会社
stock | CN,TW | 股份有限公司
stock | KR | 주식회사, Jusik Hoesa
limited | KR | 유한회사
stock | AL | ShA
stock | MD | SA, Societate pe acțiuni
corporation | | Inc, Incorporated, Corp, Corporation, Incorporee, Incorporée, Corpn, Inco
corporation | CA | ULC, Unlimited Liability Company, Unlimited Liability Corporation
corporation | US | PC, Professional Corporation, PLLC, NA, National Association, PA
company | | Co, Company, Cie, Compagnie, Comp, Kompaniya, Companhia, Compania, Compañía, Kompania, Société, Firma, Gesellschaft, Unlimited, Unlimited Company
company | RO | SC, Societatea Comercială
company | CA | Enr, Enrg, Enregistrée, Reg
partnership | | Partnership, General Partnership, GP
partnership | DE,AT,CH | OHG, GbR, OG, eGbR, PartG, PartG mbB
partnership | FR,BE,LU,CA | SNC, SCI, Société en nom collectif, Société civile immobilière, SENC, VOF, GIE, SC, SCP, Société civile
partnership | NL | VOF, Maatschap
partnership | CZ,SK | vos, veřejná obchodní společnost
partnership | FI | Avoin yhtiö
partnership | NO | ANS, DA, Ansvarlig selskap
partnership | EE,LV,LT | TÜ, PS, TŪB
limited partnership | | LP, Limited Partnership, Ltd Partnership, LLLP
limited partnership | DE,AT,CH | KG, GmbH & Co KG, GmbH & Co KGaA, AG & Co KG, UG haftungsbeschränkt & Co KG, Kommanditgesellschaft, SE & Co KG, GmbH & Co, GmbH & Co OHG
limited partnership | FR,BE,LU,NL,CA | SCS, SCSp, CV, SEC, Société en commandite simple, Société en commandite, Comm V, CommV
limited partnership | FI | Ky, Kommandiittiyhtiö, Kb
limited partnership | SE | KB, Kommanditbolag, HB, Handelsbolag
limited partnership | CZ,SK | ks, komanditní společnost
limited partnership | PL | Sp k, Spółka komandytowa, Sp zoo sp k
limited partnership | NO,DK | KS, K/S, P/S
limited liability partnership | | LLP, Limited Liability Partnership, SENCRL, SELARL, SELAS
cooperative | | Coop, Cooperative, Co-op, Co-operative, Cooperative Limited, Cooperativa, Coopérative, SCOP, SCIC, Co-operative Society
cooperative | DE,AT,CH | eG, eGen, Genossenschaft
cooperative | CZ,SK | družstvo
cooperative | FI | Osk, Osuuskunta
cooperative | NO | SA, Samvirkeforetak
cooperative | BE | CVBA, SCRL, CV, SC
cooperative | SE,DK | ek för, ekonomisk förening, AmbA
cooperative | LT,LV,EE,UA | KB, Kooperatyvas, Ühistu, кооператив
foundation | | Foundation, Fondation, Stiftung, Stichting, Fundación, Fundacja, Fundatia, Säätiö, Stiftelse, Stiftelsen, Fonden, SA Sihtasutus, Sihtasutus, Nodibinājums, Fundação, nadace, Благодійний фонд
association | | Association, Verein, eV, eingetragener Verein, ASBL, VZW, Vereniging, Asociación, Asociația, Associação, Asociace, Förening, MTÜ, Mittetulundusühing, ry, Rekisteröity yhdistys, zs, zapsaný spolek, spolek, biedrība, asociacija, VšĮ, Viešoji įstaiga, громадська організація, ГО, Адвокатське об'єднання, ANO, АНО, Автономная некоммерческая организация, CIC, Community Interest Company, CIO, ops
sole trader | | Sole Trader, Einzelunternehmen, eK, eKfm, eU, EI, Entrepreneur individuel, ENK, Enkeltpersonforetak, FIE, Tmi, Toiminimi, ФОП, FOP, ИП, IE Individuali įmonė, IK, Individuālais komersants, PFA, Persoană fizică autorizată, MEI, ME, EPP, Întreprindere individuală
state enterprise | | State Enterprise, ДП, DP, Державне підприємство, ГУП, ФГУП, FGUP, МУП, КП, Комунальне підприємство, ПП, PP, Приватне підприємство, Valsts SIA, VSIA, VAS, Valstybės įmonė, státní podnik, sp, příspěvková organizace, po, Statutory Body, ÎS, Întreprinderea de stat, KF, Kommunalt foretak, SF, Statsforetak, Întreprindere municipală
farm | UA,RU | ФГ, Фермерське господарство, СФГ, Селянське фермерське господарство, FH, КФХ, Крестьянское фермерское хозяйство, Fermerske hospodarstvo
farm | LV,LT | ZS, Z/S, Zemnieku saimniecība, Ūkininko ūkis
owners association | UA | ОСББ, Об'єднання співвласників багатоквартирного будинку
owners association | CZ,SK | SVJ, Společenství vlastníků, Společenství vlastníků jednotek, Společenství vlastníků domu, Společenství vlastníků jednotek domu
owners association | EE | Korteriühistu, KÜ
owners association | FI | Asunto Oy, As Oy, Asunto-osakeyhtiö, Bostads Ab, Bostadsaktiebolag
owners association | SE | Brf, Bostadsrättsförening, Bostadsrättsföreningen
owners association | NO | Borettslag, Borettslaget, Brl
owners association | PL,RO | Wspólnota Mieszkaniowa, Asociația de proprietari
limited partnership | EE | UÜ, Usaldusühing
limited partnership | LV | KS, Komandītsabiedrība
limited partnership | LT | KŪB, Komanditinė ūkinė bendrija
limited partnership | UA | Командитне товариство
limited partnership | GR,CY | ΕΕ, Ετερόρρυθμη Εταιρεία
limited partnership | BE | SComm, GCV
partnership | EE | Täisühing
partnership | LV | Pilnsabiedrība
partnership | LT | Tikroji ūkinė bendrija
partnership | FI | Ay
partnership | UA | Повне товариство
partnership | GR,CY | ΟΕ, Ομόρρυθμη Εταιρεία
partnership | FR | SCM, SCCV, SCPI, GFA, Société civile de moyens
stock | AU | NL, No Liability
company | IE | UC, ULC, Unlimited Company, ICAV
company | MD,RO | ÎCS, Întreprinderea cu capital străin
cooperative | EE | TulÜ, Tulundusühistu
cooperative | LV | Kooperatīvā sabiedrība, KS, LPKS
cooperative | UA | СВК, Сільськогосподарський виробничий кооператив, Обслуговуючий кооператив, Споживчий кооператив
cooperative | CZ,SK | spotřební družstvo, bytové družstvo, stavební bytové družstvo
association | BE | IVZW, AISBL, internationale vereniging zonder winstoogmerk, vereniging zonder winstoogmerk, association sans but lucratif
association | MD,RO | AO, Asociația obștească
association | NO | Foreningen
foundation | CZ,SK | zú, zapsaný ústav, nadační fond
foundation | NO | Stiftinga, STI
foundation | FI | sr, rs
sole trader | LV | IU, Individuālais uzņēmums
sole trader | LT | Individuali įmonė
sole trader | RO,MD | ÎF, Întreprindere familială
state enterprise | UA | КНП, Комунальне некомерційне підприємство, КЗ, Комунальний заклад, ДУ, Державна установа
state enterprise | NO | IKS, Interkommunalt selskap, FKF
state enterprise | LV | Pašvaldības SIA, Pašvaldības sabiedrība ar ierobežotu atbildību
farm | FR | GAEC, EARL, SCEA, Groupement agricole d'exploitation en commun, Exploitation agricole à responsabilité limitée, Société civile d'exploitation agricole
farm | LT | ŽŪB, Žemės ūkio bendrovė
farm | MD,RO | GȚ, Gospodăria țărănească
owners association | NO | Sameie, Sameiet, Eierseksjonssameie, Eierseksjonssameiet
note | | in liquidation, in administration, in receivership, in voluntary liquidation, in creditors voluntary liquidation, struck off, en liquidation, en liquidation judiciaire, en redressement judiciaire, en faillite, in vereffening, in liquidatie, en liquidación, en concurso, in liquidazione, em liquidação, em recuperação judicial, em falência, v likvidaci, v likvidácii, v konkurzu, v insolvenci, w likwidacji, w upadłości, likvideerimisel, pankrotis, likviduojama, bankrutuojanti, bankrutavusi, likvidējamā, likvidējama, maksātnespējīgā, likvidācijā, under avvikling, under konkursbehandling, under tvangsavvikling, selvitystilassa, konkurssissa, i likvidation, i konkurs, în lichidare, în faliment, în insolvență, societate în faliment, societate în insolvență, в ликвидации, в процессе ликвидации, у стані припинення, в стані припинення, в процесі ліквідації
note | DE,AT,CH | iL, i Liqu, i Abw
branch | | Branch, Filiala, Filiaal, Filial, NUF, Norskavdeling av utenlandsk foretak, UK Branch, Zweigniederlassung, Succursale, organizační složka, odštěpný závod, sivuliike
`;

export const formRows: readonly FormRow[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [name = '', countries = '', spellings = ''] = line.split('|').map((cell) => cell.trim());
    return {
      class: name,
      countries: countries === '' ? [] : countries.split(','),
      spellings: spellings.split(', '),
    };
  });

/** Short forms that are also ordinary words or initials: they count as a form only in their countries. */
export const wordLikeForms = new Set(
  'ans sas sci sc vas as se ad ou ie me at pp dp kp sp po gp pc pa na ps da dd og sc sec cv sf pl fh zs ku brl kf go ip dac mb is vas tu reg comp ei sl pt rt ks kb ugr ky ab sa cia'.split(
    ' ',
  ),
);
/** The same, and they count as a form only if it is known that the company is of their country. */
export const localForms = new Set('uu oe ee nl uc gt sr rs ay iu il sti earl ics gfa scm du kz if'.split(' '));
/** Forms of two or three letters that may come first: `AB Volvo`, `PT Astra`, `SIA Latvijas Gāze`, `TOV Roshen`. */
export const leadingForms = new Set(
  'ab ao as ou oy pt sc pp at dp ip go kp kf tov ooo oao zao pao nao pat prat vat zat sia uab llc jsc srl too vas fop fie is mb vzw asbl sarl sas eurl fh fg sfg kfkh svj brf brl zs ku stov osbb sci stg snc ik ano cjsc ojsc pjsc gaec earl scea ics gt svk knp iu zub gfa scm'.split(
    ' ',
  ),
);
