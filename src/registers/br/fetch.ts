import { type DownloadPlan, UNTRIED } from '../fetch-plan.ts';

/** A public share of the tax office. Its address has changed several times; before 2026 it was a plain folder. */
const SHARE = 'https://arquivos.receitafederal.gov.br/public.php/dav/files/YggdBLfdninEJX9/{year}-{month}';

const TEN_PARTS = ['Empresas', 'Estabelecimentos', 'Socios'];
const SINGLE = ['Simples', 'Cnaes', 'Motivos', 'Municipios', 'Naturezas', 'Paises', 'Qualificacoes'];

export const fetch: DownloadPlan = {
  kind: 'dated',
  files: [
    ...TEN_PARTS.flatMap((name) => Array.from({ length: 10 }, (_, part) => `${SHARE}/${name}${part}.zip`)),
    ...SINGLE.map((name) => `${SHARE}/${name}.zip`),
  ],
  months: 3,
  size: { min: 3_000_000_000, max: 40_000_000_000 },
  origin: { readIn: 'public importers of arquivos.receitafederal.gov.br of 2026', ...UNTRIED },
};
