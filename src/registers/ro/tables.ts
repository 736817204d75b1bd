/** The columns of the files, and the files of older snapshots. */
import { splitWords } from '../parsing.ts';

const COLUMNS_2018 = splitWords('DENUMIRE CUI COD_INMATRICULARE EUID STARE_FIRMA ADRESA');

export const TABLES = {
  OD_FIRME: splitWords(
    'DENUMIRE CUI COD_INMATRICULARE DATA_INMATRICULARE EUID FORMA_JURIDICA ADR_TARA ADR_JUDET ADR_LOCALITATE ADR_DEN_STRADA ' +
      'ADR_NR_STRADA ADR_BLOC ADR_SCARA ADR_ETAJ ADR_APARTAMENT ADR_COD_POSTAL ADR_SECTOR ADR_COMPLETARE WEB TARA_FIRMA_MAMA',
  ),
  OD_STARE_FIRMA: splitWords('COD_INMATRICULARE COD'),
  OD_CAEN_AUTORIZAT: splitWords('COD_INMATRICULARE COD_CAEN_AUTORIZAT VER_CAEN_AUTORIZAT'),
  OD_REPREZENTANTI_LEGALI: splitWords(
    'COD_INMATRICULARE PERSOANA_IMPUTERNICITA CALITATE DATA_NASTERE LOCALITATE_NASTERE JUDET_NASTERE TARA_NASTERE LOCALITATE ' +
      'JUDET TARA',
  ),
  OD_SUCURSALE_ALTE_STATE_MEMBRE: splitWords('COD_INMATRICULARE TIP_UNITATE DENUMIRE_SUCURSALA EUID COD_FISCAL TARA'),
  N_STARE_FIRMA: splitWords('COD DENUMIRE'),
  N_CAEN: splitWords('SECTIUNEA SUBSECTIUNEA DIVIZIUNEA GRUPA CLASA DENUMIRE VERSIUNE_CAEN'),
  'firme 2018': COLUMNS_2018,
  'firme 2015': splitWords('DENUMIRE CUI COD_INMATRICULARE STARE_FIRMA JUDET LOCALITATE'),
  'firme 2018, continued': COLUMNS_2018,
} as const;

/** A row of the snapshot of 2018, in a file without a header. */
export function isRowOf2018(cells: readonly string[]): boolean {
  const [, taxNumber = '', number = '', euid = ''] = cells;
  return cells.length === COLUMNS_2018.length && /^\d*$/.test(taxNumber) && NUMBER.test(number) && EUID.test(euid);
}

const NUMBER = /^[JFC]\d{1,2}\/\d+\/\d{4}$/;
const EUID = /^(ROONRC\..*)?$/;
