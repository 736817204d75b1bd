import type { Static, TObject, TString } from 'typebox';
import { resources } from '../../accounts/resources.ts';
import type { Plan } from '../../base/plans.ts';
import { type AccountOperation, type AccountRequest, accountOperation } from './account-operation.ts';
import { bare } from './answers.ts';
import type { Api, NoParameters } from './operation.ts';

/** A kind of resource that an account creates, lists, reads, changes and deletes by id: the API of an entry of `accounts/resources.ts`. */
interface Resource<Stored, Shown> extends Pick<AccountOperation, 'tag' | 'credential' | 'bodyLimit'> {
  readonly kind: keyof typeof resources;
  readonly path: string;
  /** The path parameter with the id of one resource. */
  readonly params: IdParameter;
  show(stored: Stored): Shown;
}

type IdParameter = TObject<{ id: TString }>;
type Entry<Body extends TObject = NoParameters> = Omit<
  AccountOperation<NoParameters, NoParameters, Body>,
  keyof Resource<unknown, unknown> | 'url' | 'querystring'
>;
type Listing<Stored, Shown> = Omit<Entry, 'answer'> & {
  list(api: Api, accountId: string): Promise<readonly Stored[]>;
  /** Fields of `meta` besides the number of resources and the limit of the plan. */
  summarize?(shown: readonly Shown[], plan: Plan): object;
};
type OneOf<Query extends TObject, Body extends TObject> = Omit<Entry<Body>, 'answer'> & {
  /** The part of the path after the id. */
  readonly at?: string;
  readonly querystring?: Query;
  answer(given: { readonly id: string } & Static<Query>, request: AccountRequest<Static<Body>>): Promise<unknown>;
};
type Removal = Pick<Entry, 'operationId' | 'summary' | 'description'> & {
  /** The description of the reply. */
  readonly done?: string;
  remove(api: Api, accountId: string, id: string): Promise<void>;
};

/** Functions that make the operations of a resource, each with the path, the status and the error codes of its kind. */
export function resourceOperations<Stored, Shown>({ kind, path, params, show, ...own }: Resource<Stored, Shown>) {
  function one<Query extends TObject = NoParameters, Body extends TObject = NoParameters>(row: OneOf<Query, Body>) {
    const { at = '', codes = [], answer, ...described } = row;
    return accountOperation<IdParameter, Query, Body>({
      ...{ ...own, ...described, params, url: `${path}/:id${at}`, codes: [`${kind}_not_found`, ...codes] },
      answer: (given, request) => answer({ ...given, id: given.id.toLowerCase() }, request),
    });
  }

  return {
    list: ({ list, summarize, ...row }: Listing<Stored, Shown>) =>
      accountOperation({
        ...{ ...own, ...row, url: path },
        async answer(_given, { api, account: { accountId, plan } }) {
          const data = (await list(api, accountId)).map(show);
          return { data, meta: { count: data.length, limit: plan[resources[kind].limit], ...summarize?.(data, plan) } };
        },
      }),
    create: <Body extends TObject>({ codes = [], ...row }: Entry<Body>) =>
      accountOperation<NoParameters, NoParameters, Body>({
        ...{ ...own, ...row, method: 'POST', url: path, status: 201, isRepeatable: true },
        codes: [`${kind}_limit_reached`, ...codes],
      }),
    /** An operation on one resource, such as reading or changing it. */
    one,
    remove: ({ remove, done = 'Deleted.', ...row }: Removal) =>
      one({
        ...{ ...row, method: 'DELETE', status: 204, reply: bare(done) },
        answer: ({ id }, { api, account: { accountId } }) => remove(api, accountId, id),
      }),
  };
}
