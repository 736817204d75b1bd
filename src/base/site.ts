import { isIPv4 } from 'node:net';

interface SiteOptions {
  /** The address is a function because the port may be known only after the server listens. */
  readonly url: () => string;
  /** Further names of the service, without ports. */
  readonly allowedHosts?: readonly string[];
  readonly isClosed?: boolean;
}

export type Site = ReturnType<typeof createSite>;

/**
 * The names under which browsers reach the service. A page at any other name can be an attack by DNS rebinding: the name of another site that
 * resolves to this machine, which makes our pages part of that site. Pages cannot change the `Host` header, which contains the name.
 */
export function createSite({ url, allowedHosts = [], isClosed = false }: SiteOptions) {
  /** The last accepted header: clients of one server nearly always send the same header. */
  let accepted: string | undefined;

  /** All loopback names lead to this machine, so all of them are ours if our address is a loopback name. */
  function hasName(host: string): boolean {
    const [name, own] = [parseHostName(host), parseHostName(new URL(url()).hostname)];
    const isLocal = isLoopbackName(own) || ANY_ADDRESS.includes(own);
    return name === own || allowedHosts.includes(name) || (isLocal && isLoopbackName(name));
  }

  return {
    url,
    /** Whether requests to other host names are refused. Otherwise, such requests can read data, health and the contract. */
    isClosed,
    /** Whether a `Host` header names this site. The port is ignored, because a proxy or a container may map it. */
    hasHost(host: string | undefined): boolean {
      if (host === undefined) return false;
      if (host === accepted) return true;
      if (!hasName(host)) return false;
      accepted = host;
      return true;
    },
    /** Whether an `Origin` header is of this site: one of its names, with the scheme and port of its address. */
    hasOrigin(origin: string): boolean {
      const [given, own] = [URL.parse(origin), new URL(url())];
      if (given === null || given.origin !== origin) return false;
      return given.protocol === own.protocol && given.port === own.port && hasName(given.hostname);
    },
  };
}

/** Our address if we listen on all addresses and no public address is configured. */
const ANY_ADDRESS = ['0.0.0.0', '[::]'];

/** The name or address in a `Host` header, in lower case, without port and trailing dot. */
export function parseHostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Whether a name or address always leads to the machine that uses it (RFC 6761 for names under `localhost`). */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true;
  return name.startsWith('127.') && isIPv4(name);
}

export function isLoopbackHost(host: string): boolean {
  return host === '::1' || isLoopbackName(host.toLowerCase());
}

/** The links and settings that the operator of this server publishes. Each link is shown if it is set. */
export interface Operator {
  readonly termsUrl: string | undefined;
  readonly privacyUrl: string | undefined;
  readonly contactEmail: string | undefined;
  readonly crawlers: 'pages' | 'none';
}

export const RECONCILE_PATH = '/api/v1/reconcile';

export function linkAddress(publicUrl: string, secret: string): string {
  return `${publicUrl}${RECONCILE_PATH}/l/${secret}`;
}
