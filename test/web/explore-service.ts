import { before, beforeEach } from 'node:test';
import type { Engine } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { pageOpener } from './pages.ts';

/** Companies for searches in the portal, with low limits for visitors. A new minute begins before each test. */
export function useExplore(engine: Engine) {
  const service = useService(engine, {
    visitors: { searches: { perAddress: 4, inTotal: 6 }, records: { perAddress: 3, inTotal: 5 } },
  });
  before(() => {
    const formerly = { 'PreviousName_1.CONDATE': '01/02/2020', 'PreviousName_1.CompanyName': 'OLDGAMMA LTD' };
    const software = { 'SICCode.SicText_1': '62012 - Business and domestic software development' };
    return importCompanies(service, [
      ...Array.from({ length: 30 }, (_, index) => company(String(index).padStart(8, '0'), `ALPHA ${index} LTD`)),
      company('00000100', 'BETA SOFTWARE LLP', { CompanyCategory: 'Limited Liability Partnership', ...software }),
      company('00000200', 'GAMMA LTD', { CompanyStatus: 'Liquidation', 'RegAddress.PostTown': 'LEEDS', ...formerly }),
    ]);
  });
  beforeEach(() => service.clock.advance(60_000));
  return {
    service,
    open: pageOpener(service),
    usedBy: async ({ account }: TestSession) => (await service.services.meter.readUsage(account)).used,
  };
}
