import Type from 'typebox';
import { linkAddress } from '../../../core/requests/reconcile-path.ts';
import type { AppServices } from '../../app-services.ts';
import type { App } from '../../app-type.ts';
import { CreatedReconcileLink, listOf, NewReconcileLink, ReconcileLink } from '../../schemas/account.ts';
import type { RequireSession } from '../../session.ts';
import { registerNamedSecrets } from '../named-secrets.ts';

export function registerReconcileLinks(
  app: App,
  { publicUrl, reconcileLinks }: AppServices,
  requireSession: RequireSession,
): void {
  registerNamedSecrets(
    app,
    reconcileLinks,
    {
      path: '/api/v1/reconcile-links',
      noun: 'link',
      list: {
        operationId: 'listReconcileLinks',
        summary: 'List reconcile links',
        description: 'Returns the active links of the account, oldest first, without their addresses.',
        schema: listOf(ReconcileLink, 'ReconcileLinkList', 'links'),
      },
      create: {
        operationId: 'createReconcileLink',
        summary: 'Create a reconcile link',
        description:
          'Creates an address for programs that reconcile names with companies and cannot send an API key, such as ' +
          '[OpenRefine](/docs/openrefine). The address is returned only once, because only the hash of its secret part is stored. It can ' +
          'be used for reconciliation only, has a rate limit of its own, and draws on the quota of the account. With an ' +
          '`Idempotency-Key`, a repeated request makes no second link, and names the first one.',
        body: NewReconcileLink,
        reply: Type.Object({ data: CreatedReconcileLink }, { $id: 'CreatedReconcileLinkReply' }),
        result: 'The link, with its address.',
      },
      revoke: {
        operationId: 'revokeReconcileLink',
        summary: 'Revoke a reconcile link',
        description:
          'Revokes the link. From then on, every server rejects requests with it with `invalid_reconcile_link`.',
      },
      codes: { create: ['reconcile_link_limit_reached'], revoke: 'reconcile_link_not_found' },
      describeSecret: (secret) => ({ url: linkAddress(publicUrl(), secret) }),
    },
    requireSession,
  );
}
