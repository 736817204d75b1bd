import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * A certificate for the given names, signed by itself, for test servers with https. Node can read certificates but not
 * create them, so this writes the DER encoding of the few fields that are needed (RFC 5280).
 */
export function createCertificate(names: readonly string[]): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Issuers are found by name, so no two certificates have the same.
  const subject = `firmament test ${randomBytes(8).toString('hex')}`;
  const name = sequence(set(sequence(oid('550403'), text(subject))));
  const validity = sequence(time('20200101000000Z'), time('20991231235959Z'));
  const alternatives = sequence(...names.map((host) => value(0x82, Buffer.from(host))));
  const extension = sequence(oid('551d11'), value(0x04, alternatives));
  const content = sequence(
    value(0xa0, value(0x02, Buffer.from([2]))),
    value(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    value(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', content, privateKey);
  const cert = sequence(content, ECDSA_SHA256, value(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: writePem(cert) };
}

function value(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(header), content]);
}

function sequence(...items: Buffer[]): Buffer {
  return value(0x30, Buffer.concat(items));
}

function set(item: Buffer): Buffer {
  return value(0x31, item);
}

function oid(hex: string): Buffer {
  return value(0x06, Buffer.from(hex, 'hex'));
}

function text(content: string): Buffer {
  return value(0x0c, Buffer.from(content));
}

function time(content: string): Buffer {
  return value(0x18, Buffer.from(content));
}

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));

function writePem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
