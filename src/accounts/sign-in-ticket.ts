import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { equalSecrets } from '../core/secrets.ts';
import type { Db } from '../db/db.ts';
import { findSignInKey, insertSignInKey } from './store.ts';

/**
 * A pending sign-in, kept by the browser in a cookie until the provider sends it back. It is signed with a secret that all servers
 * share through the database, so a page that can set cookies cannot make up a sign-in, and we store nothing per sign-in.
 */
interface SignInTicket {
  /** The value of the cookie. */
  readonly text: string;
  /** A path of this site to return to. */
  readonly returnTo: string;
  /** What the provider must send back, and what we must send it. They cannot be computed from the cookie. */
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface SignInTickets {
  issue(returnTo: string): Promise<SignInTicket>;
  /** Returns undefined unless we issued this text in the last ten minutes. */
  read(text: string): Promise<SignInTicket | undefined>;
}

export const SIGN_IN_SECONDS = 600;

export function createSignInTickets(db: Db, clock: Clock): SignInTickets {
  let key: Promise<string> | undefined;

  /** If two servers create the secret at the same time, both use the one that was stored first. */
  async function readKey(): Promise<string> {
    const found = await findSignInKey(db);
    if (found !== undefined) return found;
    await insertSignInKey(db, randomBytes(32).toString('base64url'), clock.now());
    const stored = await findSignInKey(db);
    if (stored === undefined) throw new Error('the secret for sign-ins was not stored');
    return stored;
  }

  async function useKey(): Promise<string> {
    key ??= readKey();
    try {
      return await key;
    } catch (error) {
      key = undefined;
      throw error;
    }
  }

  return {
    async issue(returnTo) {
      const expires = Math.floor(clock.now() / 1000) + SIGN_IN_SECONDS;
      const body = [randomBytes(32).toString('base64url'), expires, encode(returnTo)].join('.');
      return complete(await useKey(), body, returnTo);
    },
    async read(text) {
      const [seed, expires = '', target = '', ...rest] = text.split('.');
      const ticket = complete(await useKey(), [seed, expires, target].join('.'), decode(target));
      const isOurs = rest.length === 1 && equalSecrets(ticket.text, text);
      return isOurs && Number(expires) * 1000 > clock.now() ? ticket : undefined;
    },
  };
}

function complete(key: string, body: string, returnTo: string): SignInTicket {
  const sign = (purpose: string) => createHmac('sha256', key).update(`${purpose}:${body}`).digest('base64url');
  return {
    text: `${body}.${sign('cookie')}`,
    returnTo,
    state: sign('state'),
    nonce: sign('nonce'),
    verifier: sign('verifier'),
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}
