import type { FileHandle } from 'node:fs/promises';
import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { fail, statusOf } from '../../base/errors.ts';
import { createSlots } from '../../base/requests/slots.ts';
import type { OfferedFile } from '../../exports/offered.ts';
import type { HttpReply } from '../../http/reply.ts';
import { classifyNavigation, sendConfirmation } from '../navigation.ts';
import type { AccountPages, AccountRequest } from '../routes/account-pages.ts';
import type { PageServices } from '../services.ts';
import { describeVisitor, sendPage, startCharge } from '../visitor.ts';
import { limitPage } from './messages.ts';

type Wanted = Pick<AccountRequest['params'], 'generation' | '*'>;

/** A file to send from here, or the address that it is at. */
interface Found {
  readonly file: OfferedFile;
  readonly opened: FileHandle | undefined;
}

/** Downloads at a time, per account and serving thread: a browser needs no more, and programs have the API. */
const DOWNLOADS_PER_ACCOUNT = 2;

/** Files of exports for the signed-in user: whole files only. Programs use the API, which also has ranges. */
export function registerExportDownload(services: PageServices, pages: AccountPages): void {
  const { exports, executor, clock, site } = services;
  const slots = createSlots({
    perAccount: DOWNLOADS_PER_ACCOUNT,
    inTotal: Number.POSITIVE_INFINITY,
    guaranteedMs: Number.POSITIVE_INFINITY,
  });

  const operation: PricedOperation<Wanted, Wanted, Found> = {
    needs: { credential: 'session', plan: 'paid' },
    price: 'unit',
    read: (wanted) => wanted,
    async answer({ generation, '*': path }) {
      const offered = (await exports.list()).filter((each) => String(each.generation) === generation);
      const file = offered.flatMap(({ files }) => files.get(path) ?? [])[0];
      if (file === undefined) throw fail('export_not_found');
      return { file, opened: exports.baseUrl === undefined ? await exports.openFile(file) : undefined };
    },
  };

  pages.get('/dashboard/exports/:generation/*', async (request, reply, signedIn) => {
    const visitor = describeVisitor(signedIn);
    const navigation = classifyNavigation(request, site);
    if (navigation !== 'own') return sendConfirmation(request, reply, { visitor, navigation });
    const { account } = signedIn;
    const release = slots.take(account.accountId, () => reply.raw.destroy());
    reply.raw.once('close', release);
    const exchange = startCharge(account, request.params);
    return new Promise<HttpReply>((resolve, reject) => {
      executor.execute(operation, exchange, (result) => {
        if (result.outcome === 'failed') return void reject(result.error);
        if (result.outcome === 'denied') {
          return void resolve(sendPage(reply.code(statusOf(result.code)), limitPage(visitor, result, clock.now())));
        }
        const { file, opened } = result.answer;
        if (opened === undefined)
          return void resolve(reply.redirect(`${exports.baseUrl}/${file.generation}/${file.path}`));
        const name = file.path.replace('/entities/country=', '/').replaceAll('/', '-');
        reply.header('Content-Disposition', `attachment; filename="firmament-${file.generation}-${name}"`);
        reply.header('Content-Length', file.bytes).type('application/octet-stream');
        const bytes = opened.createReadStream();
        const delivery = new Promise<number>((delivered) => {
          bytes.once('error', () => delivered(0));
          bytes.once('close', () => delivered(1));
        });
        resolve(reply.send(bytes));
        return delivery;
      });
    });
  });
}
