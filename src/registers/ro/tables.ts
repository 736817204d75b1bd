/** The columns of the files, and the files of older snapshots. */
import { splitWords } from '../parsing.ts';

export const COLUMNS = splitWords(
  'DENUMIRE CUI COD_INMATRICULARE DATA_INMATRICULARE EUID FORMA_JURIDICA ADR_TARA ADR_JUDET ADR_LOCALITATE ADR_DEN_STRADA ' +
    'ADR_NR_STRADA ADR_BLOC ADR_SCARA ADR_ETAJ ADR_APARTAMENT ADR_COD_POSTAL ADR_SECTOR ADR_COMPLETARE WEB TARA_FIRMA_MAMA',
);
export const STATUSES = splitWords('COD_INMATRICULARE COD');
export const ACTIVITIES = splitWords('COD_INMATRICULARE COD_CAEN_AUTORIZAT VER_CAEN_AUTORIZAT');
export const REPRESENTATIVES = splitWords(
  'COD_INMATRICULARE PERSOANA_IMPUTERNICITA CALITATE DATA_NASTERE LOCALITATE_NASTERE JUDET_NASTERE TARA_NASTERE LOCALITATE ' +
    'JUDET TARA',
);
export const BRANCHES = splitWords('COD_INMATRICULARE TIP_UNITATE DENUMIRE_SUCURSALA EUID COD_FISCAL TARA');
export const COLUMNS_2018 = splitWords('DENUMIRE CUI COD_INMATRICULARE EUID STARE_FIRMA ADRESA');
export const COLUMNS_2015 = splitWords('DENUMIRE CUI COD_INMATRICULARE STARE_FIRMA JUDET LOCALITATE');

/** A row of the snapshot of 2018, in a file without a header. */
export function isRowOf2018(cells: readonly string[]): boolean {
  const [, taxNumber = '', number = '', euid = ''] = cells;
  return cells.length === COLUMNS_2018.length && /^\d*$/.test(taxNumber) && NUMBER.test(number) && EUID.test(euid);
}

const NUMBER = /^[JFC]\d{1,2}\/\d+\/\d{4}$/;
const EUID = /^(ROONRC\..*)?$/;
