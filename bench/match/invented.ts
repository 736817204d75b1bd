import { fold } from '../../src/base/fold.ts';
import { romanise } from '../../src/base/romanise.ts';
import { type Chance, createChance } from '../../synthetic/chance.ts';
import { isHeldOut } from './files.ts';
import type { Entry } from './reference.ts';
import type { Case } from './sets.ts';

/**
 * Sets that need no data: names put together from lists of ordinary words, and asked for as a rule changes them. They are made of no name
 * of the labelled sets, and nothing was chosen to fit them but the rules themselves.
 */
export interface InventedSet {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** All companies are in one reference, so that each set has the others as distractors. */
export interface Invented {
  readonly entries: readonly Entry[];
  readonly sets: readonly InventedSet[];
}

const PER_RULE = 200;
const DISTRACTORS = 2_000;

export function inventSets(): Invented {
  const chance = createChance(55);
  const entries: Entry[] = [];
  const taken = new Set<string>();
  const add = (name: string, country: string): string => {
    const id = `invented ${entries.length}`;
    entries.push({ id, name, country });
    return id;
  };
  const draw = <T>(count: number, make: () => T | undefined): T[] => {
    const made: T[] = [];
    while (made.length < count) {
      const one = make();
      if (one !== undefined) made.push(one);
    }
    return made;
  };
  const toCase = (name: string, truth: string, country: string) => ({ name, truth, country, heldOut: isHeldOut(name) });

  /** Two companies with one acronym or name would make a question that has no answer. */
  const take = (...texts: readonly string[]) => {
    const keys = texts.map((text) => fold(text).replaceAll(' ', ''));
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  };

  const acronyms = ACRONYMS.flatMap(({ isWritten, make }) =>
    draw(PER_RULE, () => {
      const language = chance.pick(LANGUAGES);
      const words = language.write(chance);
      const acronym = make(words.split(' ').filter((word) => !language.small.includes(word)));
      if (acronym.length < 3 || !take(words, acronym)) return undefined;
      return toCase(acronym, add(isWritten ? `${words} (${acronym})` : words, language.country), language.country);
    }),
  );

  const joined = JOINS.flatMap((change) =>
    draw(PER_RULE, () => {
      const { country, parts, trades } = chance.pick(COMPOUNDS);
      const seam = Array.from({ length: chance.between(2, 3) }, () => title(chance.pick(parts)));
      if (seam[0] === seam[1] || !take(seam.join(''))) return undefined;
      const trade = chance.is(0.5) ? ` ${chance.pick(trades)}` : '';
      const [known, asked] = change(seam);
      return toCase(asked + trade, add(known + trade, country), country);
    }),
  );

  const romanised = [true, false].flatMap((isInScript) =>
    draw(PER_RULE * 2, () => {
      const { country, starts, ends, trades } = chance.pick(SCRIPTS);
      const name = `${title(chance.pick(starts) + chance.pick(ends))} ${title(chance.pick(trades))}`;
      const ways = romanise(name, country);
      if (ways.length < 2 || !take(name)) return undefined;
      const known = isInScript ? name : title(ways[0] as string);
      const asked = chance.pick(isInScript ? ways : ways.slice(1));
      return toCase(title(asked), add(known, country), country);
    }),
  );

  for (let count = 0; count < DISTRACTORS; count++) {
    const language = chance.pick(LANGUAGES);
    const words = language.write(chance);
    if (take(words)) add(words, language.country);
  }
  return {
    entries,
    sets: [
      { name: 'acronyms', cases: acronyms },
      { name: 'joined and split words', cases: joined },
      { name: 'romanised names', cases: romanised },
    ],
  };
}

/** Two letters of each word, as in `Société Minière du Delta (SOMIDE)`, or one. In the name, or only made of it. */
const ACRONYMS = [
  { isWritten: true, make: (words: readonly string[]) => shorten(words, 1) },
  { isWritten: true, make: (words: readonly string[]) => shorten(words, 2) },
  { isWritten: false, make: (words: readonly string[]) => shorten(words, 1) },
];

function shorten(words: readonly string[], letters: number): string {
  const start = words.map((word) => word.slice(0, letters)).join('');
  return start
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toUpperCase();
}

/** The name of the company and how it is asked for: joined, split, joined in part, with a hyphen. */
const JOINS: readonly ((parts: readonly string[]) => [known: string, asked: string])[] = [
  (parts) => [parts.join(' '), title(parts.join(''))],
  (parts) => [title(parts.join('')), parts.join(' ')],
  ([first = '', second = '', ...rest]) => [
    [first, second, ...rest].join(' '),
    [title(first + second), ...rest].join(' '),
  ],
  (parts) => [title(parts.join('')), parts.join('-')],
];

function title(text: string): string {
  return text.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
}

const list = (text: string) => text.split(' ');

/** Names as associations and state companies have them. `small` words have no letter in an acronym. */
const LANGUAGES = [
  {
    country: 'GB',
    small: list('of and the for'),
    write: (chance: Chance) =>
      `${title(chance.pick(GB_PLACES))} ${title(chance.pick(GB_WORDS))} ${title(chance.pick(GB_WORDS))} ${title(chance.pick(GB_BODIES))}`,
  },
  {
    country: 'IE',
    small: list('of and the for'),
    write: (chance: Chance) =>
      `${title(chance.pick(GB_BODIES))} of ${title(chance.pick(GB_WORDS))} and ${title(chance.pick(GB_WORDS))} ${title(chance.pick(GB_PLACES))}`,
  },
  {
    country: 'FR',
    small: list('du de des la et'),
    write: (chance: Chance) =>
      `${title(chance.pick(FR_BODIES))} ${title(chance.pick(FR_WORDS))} et ${title(chance.pick(FR_WORDS))} du ${title(chance.pick(FR_PLACES))}`,
  },
  {
    country: 'ES',
    small: list('de del la y'),
    write: (chance: Chance) =>
      `${title(chance.pick(ES_BODIES))} ${title(chance.pick(ES_WORDS))} y ${title(chance.pick(ES_WORDS))} del ${title(chance.pick(ES_PLACES))}`,
  },
];
const GB_PLACES = list(
  'northern eastern severn humber mersey pennine cotswold highland midland coastal thames lowland solent border channel wessex',
);
const GB_WORDS = list(
  'mining water timber railway steel grain cotton fishing energy harbour textile tobacco sugar cement glass leather paper rubber salt coffee cattle copper irrigation livestock dairy wool nursing theatre dental shipping insurance pottery',
);
const GB_BODIES = list(
  'company society union authority board works laboratory institute exchange agency association factory corporation foundry cooperative trust',
);
const FR_BODIES = list('société compagnie office union institut comptoir agence régie caisse manufacture');
const FR_WORDS = list(
  'minière forestière agricole laitière sucrière maritime textile pétrolière fluviale cotonnière ferroviaire hôtelière viticole pastorale nautique gazière',
);
const FR_PLACES = list('delta littoral plateau bassin centre nord sud levant ponant fleuve massif golfe');
const ES_BODIES = list('empresa sociedad instituto compañía unión consorcio fundación agrupación mutua oficina');
const ES_WORDS = list(
  'minera forestal agrícola lechera azucarera marítima textil petrolera fluvial algodonera ferroviaria hotelera vinícola ganadera náutica pesquera',
);
const ES_PLACES = list('delta litoral altiplano valle centro norte sur levante poniente río golfo estrecho');

/** Parts of words that are written together as well as apart. */
const COMPOUNDS = [
  {
    country: 'GB',
    parts: list(
      'bright space sun wood stone bridge water field light house snow bird gold smith silver storm wind mill river side moon rock fire brick iron gate oak leaf sea shore',
    ),
    trades: list('Foods Logistics Engineering Partners Design'),
  },
  {
    country: 'CN',
    parts: list(
      'yun sheng da hua xin tai ming guang fu rong jia hong yuan chang long feng bao kang ning hai tong shun wei zhong hui',
    ),
    trades: list('Trading Electronics Textile Machinery Chemical'),
  },
  {
    country: 'DE',
    parts: list(
      'stahl bau holz werk glas haus wasser kraft berg licht sand stein wald feld brunnen garten eisen mühle brücke turm',
    ),
    trades: list('Technik Handel Service Gruppe Systeme'),
  },
];

/** Names in scripts that several tables write in Latin letters. */
const SCRIPTS = [
  {
    country: 'RU',
    starts: list(
      'жемчуж щедр хлеб юж цемент чебок шахт ёлоч яхром джиг зареч хвой царьг вьюж подъём кержен йошкар щёлк',
    ),
    ends: list('ный ский ной ия ье цех щит юр яр ая ий ец'),
    trades: list('энергия стройматериалы хозяйство объединение мебель нефтехим транзит продукт цех судоходство'),
  },
  {
    country: 'UA',
    starts: list('щедр хліб зг юж цемент чорн шахт ялин яхт їжак гай хвой царьг жовт київ зал'),
    ends: list('ський ний ія ець щина юк ян ий ївка енко'),
    trades: list('енергія господарство обʼєднання меблі продукт цукор гірник завод транзит хімія'),
  },
  {
    country: 'KZ',
    starts: list('жет жайы қаз шым ақж құрм өске әулие жез қыз хан ұлы ең'),
    ends: list('ысу қала тау бай кент энергой жол дала нұр ия'),
    trades: list('энергия құрылыс сауда мұнай көлік астық цемент шахта жарық химия'),
  },
  {
    country: 'GR',
    starts: list('αλευ βιο γεωρ ευ θαλασσ χαλυβ ψυγ ξυλ φαρμ ναυτ αυ υδρο'),
    ends: list('ική ία ουργία ευτική ών είο ουπόλ άνθη ομηχανία'),
    trades: list('ναυτιλιακή εμπορική βιομηχανία τεχνική ενεργειακή οικοδομική χημική αγροτική'),
  },
  {
    country: 'GE',
    starts: list('შავ ჟინ ცხენ ღვინ ჩაი ხაჭ ძველ წყალ ჯავ ყვარ'),
    ends: list('ი ური ელი ისი აძე ობა ეთი'),
    trades: list('ენერგია მშენებელი ვაჭრობა ტრანზიტი ცემენტი შახტა ქიმია'),
  },
  {
    country: 'AM',
    starts: list('ժամ խաղող ծով ձոր ղար ճան շին չար ջերմ ցոր ուր եղեգ'),
    ends: list('ային ական ուկ ավան աձոր եցի ուհի'),
    trades: list('էներգիա շինարար առևտուր ցեմենտ քիմիա տրանզիտ'),
  },
];
