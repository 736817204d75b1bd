import { readRows } from '../../registers/data-files.ts';

/** Spellings of legal forms, by class and countries; without countries, a form is used everywhere. A `note` is an addition to a name, not a form. */
export const formRows = readRows('classifications/name-forms.tsv').map(
  ([name = '', countries = '', spellings = '']) => ({
    class: name,
    countries: countries === '' ? [] : countries.split(','),
    spellings: spellings.split(', '),
  }),
);

/** Short forms that are also ordinary words or initials. They count as forms only in their countries. */
export const wordLikeForms = new Set(
  'ans sas sci sc vas as se ad ou ie me at pp dp kp sp po gp pc pa na ps da dd og sc sec cv sf pl fh zs ku brl kf go ip dac mb is vas tu reg comp ei sl pt rt ks kb ugr ky ab sa cia'.split(
    ' ',
  ),
);
/** Other such short forms, which count as forms only if the company is known to be in their country. */
export const localForms = new Set('uu oe ee nl uc gt sr rs ay iu il sti earl ics gfa scm du kz if'.split(' '));
/** Forms of two or three letters that may come first: `AB Volvo`, `PT Astra`, `SIA Latvijas Gāze`, `TOV Roshen`. */
export const leadingForms = new Set(
  'ab ao as ou oy pt sc pp at dp ip go kp kf tov ooo oao zao pao nao pat prat vat zat sia uab llc jsc srl too vas fop fie is mb vzw asbl sarl sas eurl fh fg sfg kfkh svj brf brl zs ku stov osbb sci stg snc ik ano cjsc ojsc pjsc gaec earl scea ics gt svk knp iu zub gfa scm'.split(
    ' ',
  ),
);
