/** The addresses of an IPv6 network of 64 bits, each written in another way. `network` has four groups. */
export function addressIn(network: string, index: number): string {
  const host = index.toString(16);
  const spellings = [
    `${network}::${host}`,
    `${network}:0:0:0:${host}`.toUpperCase(),
    `${network}:0000:0000:0000:${host.padStart(4, '0')}`,
    `${network}:${host}::`,
    `[${network}::${host}]:443`,
    `${network}::${host}%eth0`,
  ];
  return spellings[index % spellings.length] ?? '';
}
