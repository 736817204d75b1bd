import { isIPv4 } from 'node:net';

interface SiteOptions {
  /** It is a function because the port may be known only after the server listens. */
  readonly url: () => string;
  /** More names, without ports. */
  readonly allowedHosts?: readonly string[];
  readonly isClosed?: boolean;
}

export type Site = ReturnType<typeof createSite>;

/**
 * The names under which browsers reach the service. A page at any other name can be an attack by DNS rebinding: the name of another
 * site that resolves to this machine, which makes our pages part of that site. The `Host` header says which name the browser used,
 * and pages cannot change it.
 */
export function createSite({ url, allowedHosts = [], isClosed = false }: SiteOptions) {
  /** The last accepted header: clients of one server nearly always send the same one. */
  let accepted: string | undefined;

  /** All loopback names lead to this machine, so each of them is ours if our address is one of them. */
  function hasName(host: string): boolean {
    const [name, own] = [parseHostName(host), parseHostName(new URL(url()).hostname)];
    const isLocal = isLoopbackName(own) || ANY_ADDRESS.includes(own);
    return name === own || allowedHosts.includes(name) || (isLocal && isLoopbackName(name));
  }

  return {
    /** The address that clients use, without a trailing slash. */
    url,
    /** Whether other names get no answer at all. Otherwise they get data, health and the contract. */
    isClosed,
    /** Whether a `Host` header names this site. The port is ignored, because a proxy or a container may map it. */
    hasHost(host: string | undefined): boolean {
      if (host === undefined) return false;
      if (host === accepted) return true;
      if (!hasName(host)) return false;
      accepted = host;
      return true;
    },
    /** Whether an `Origin` header names this site: one of its names, with the scheme and port of its address. */
    hasOrigin(origin: string): boolean {
      const [given, own] = [URL.parse(origin), new URL(url())];
      if (given === null || given.origin !== origin) return false;
      return given.protocol === own.protocol && given.port === own.port && hasName(given.hostname);
    },
  };
}

/** Our address if we listen on all addresses and no other is configured. */
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

/** What the operator of this server publishes about it. Each link is shown if it is set. */
export interface Operator {
  readonly termsUrl: string | undefined;
  readonly privacyUrl: string | undefined;
  readonly contactEmail: string | undefined;
  /** What search engines may list. */
  readonly crawlers: 'pages' | 'none';
}
