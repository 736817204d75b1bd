import type { engines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { type OpenPage, pageOpener } from './pages.ts';

/** Companies for searches in the portal, with low limits for visitors. */
export async function startExplore(
  engine: (typeof engines)[0],
): Promise<{ readonly service: TestService; readonly open: OpenPage }> {
  const service = await startService(engine, {
    visitors: { searches: { perAddress: 4, inTotal: 6 }, records: { perAddress: 3, inTotal: 5 } },
  });
  const formerly = { 'PreviousName_1.CONDATE': '01/02/2020', 'PreviousName_1.CompanyName': 'OLDGAMMA LTD' };
  const software = { 'SICCode.SicText_1': '62012 - Business and domestic software development' };
  await importCompanies(service, [
    ...Array.from({ length: 30 }, (_, index) => company(String(index).padStart(8, '0'), `ALPHA ${index} LTD`)),
    company('00000100', 'BETA SOFTWARE LLP', { CompanyCategory: 'Limited Liability Partnership', ...software }),
    company('00000200', 'GAMMA LTD', { CompanyStatus: 'Liquidation', 'RegAddress.PostTown': 'LEEDS', ...formerly }),
  ]);
  return { service, open: pageOpener(service) };
}
