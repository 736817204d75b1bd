import type { LegalFormClass } from '../src/registers/classifications/elf.ts';

/**
 * Words in the names of legal forms that say which class a form is, in the languages of the list of entity legal forms. They
 * serve codes of countries whose registers we do not have. A name with words of two classes gets none: `private limited
 * partnership` is no limited company, and we do not guess.
 */
const WORDS: Readonly<Partial<Record<LegalFormClass, RegExp>>> = {
  branch: /\bbranch|succursale|zweigniederlassung|\bsucursal|sivuliike|\bfilial\b|fioktelep/,
  sole_trader:
    /sole (propriet|trader)|einzelunternehm|eingetragene[rs]? kauf|entrepreneur individuel|natural person|empresario individual|ditta individuale|impresa individuale|eenmanszaak|enkeltmandsvirksomhed|egyeni (ceg|vallalkoz)/,
  cooperative:
    /co-?operativ|genossenschaft|cooperat|kooperat|druzst|osuuskunta|szovetkezet|spoldzielni|zadruga|samvinnufelag|andelsselskab/,
  foundation:
    /\bfoundation|\bfondation|stiftung|stichting|\bfundaci|\bfundac|fondazione|nadaci|nadace|saatio|stiftelse|alapitvany|zaklada|\bfonden?\b/,
  association:
    /\bassociation|\bverein\b|vereniging|\basociaci|associac|associazione|stowarzyszen|\bforening|egyesulet|\budruga|sdruzeni|zdruzenie/,
  public_body:
    /\bmunicip|\bstate (enterprise|owned)|public (body|establishment|institution|enterprise)|etablissement public|offentlichen rechts|offentlich-rechtlich|government|ente pubblico/,
  partnership:
    /\bpartnership|kommandit|offene handelsgesellschaft|gesellschaft burgerlichen rechts|nom collectif|nome coletivo|nome collettivo|nombre colectivo|en commandite|comandita|accomandita|societe civile|spolka (jawna|komandytowa|partnerska)|vennootschap onder firma|commanditaire|\bmaatschap|interessentskab|handelsbolag|kozkereseti|beteti tarsasag|javno trgovacko|komanditn/,
  public_company:
    /public limited company|public company|joint[- ]stock|aktiengesellschaft|societe anonyme|sociedad anonima|sociedade anonima|societa per azioni|naamloze vennootschap|spolka akcyjna|aktieselskab|reszvenytarsasag|dionicko drustvo|delniska druzba|akciov[ae] spolocnost|societas europaea|anonim sirket|hlutafelag|publikt aktiebolag|aktsionern|aktsioner|akcionarsko/,
  limited_company:
    /limited liability company|responsabilite limitee|beschrankter haftung|responsabilidad limitada|responsabilita limitata|sociedade (por quotas|limitada)|ograniczona odpowiedzialnosci|beperkte aansprakelijkheid|private (limited|company limited)|proprietary (company|limited)|company limited by (shares|guarantee)|exempted? company|anpartsselskab|korlatolt felelossegu|ogranicenom odgovornoscu|omejeno odgovornostjo|rucenim obmedzenym|limited sirket|einkahlutafelag|ogranichennoy otvetstvennost|ogranichena otgovornost|private company/,
};

/** The class that all words in the names agree on; '' if there is none. */
export function classifyName(names: readonly string[]): string {
  const classes = Object.entries(WORDS).filter(([, words]) => names.some((name) => words.test(name)));
  return classes.length === 1 ? (classes[0]?.[0] ?? '') : '';
}
