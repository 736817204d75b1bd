import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { SaxesParser } from 'saxes';
import { readConfig } from '../src/base/config/config.ts';

interface Element {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

/** Throws if the file is not well formed. */
function read(file: string): { readonly root: Element; readonly source: string } {
  const source = readFileSync(new URL(`../ops/clickhouse/${file}`, import.meta.url), 'utf8');
  const open: Element[] = [{ name: '', children: [], text: '' }];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    const element = { name, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text.trim();
  });
  parser.on('closetag', () => void open.pop());
  parser.write(source).close();
  return { root: open[0] ?? assert.fail(), source };
}

/** All elements at a path, as in `shard/replica/host`. */
function find(root: Element, path: string): Element[] {
  return path
    .split('/')
    .reduce((found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)), [root]);
}

const texts = (root: Element, path: string) => find(root, path).map(({ text }) => text);

/** The nodes of the CLICKHOUSE_URL that a comment gives. */
function hostsOf(source: string): string[] {
  const CLICKHOUSE_URL = /CLICKHOUSE_URL=(\S+)/.exec(source)?.[1] ?? '';
  return (
    readConfig({ SEARCH_ENGINE: 'clickhouse', CLICKHOUSE_URL }).clickhouse?.hosts.map(
      (host) => new URL(host).hostname,
    ) ?? []
  );
}

/** The files have not run on servers: this is what can be checked without. */
describe('ops: ClickHouse', () => {
  test('three shards have two replicas each, which CLICKHOUSE_URL lists', () => {
    const { root, source } = read('cluster.xml');
    const cluster = 'clickhouse/remote_servers/firmament';
    const shards = find(root, `${cluster}/shard`);
    assert.deepEqual(
      shards.map((shard) => texts(shard, 'replica/host').length),
      [2, 2, 2],
    );
    const hosts = texts(root, `${cluster}/shard/replica/host`);
    assert.equal(new Set(hosts).size, 6);
    assert.deepEqual(hosts, hostsOf(source));
    // Otherwise the Distributed table would write to both replicas, beside their own replication.
    assert.deepEqual(texts(root, `${cluster}/shard/internal_replication`), ['true', 'true', 'true']);
    const [port] = texts(root, 'clickhouse/tcp_port');
    for (const used of texts(root, `${cluster}/shard/replica/port`)) assert.equal(used, port);
  });

  test('a node says which shard and replica it is, and the keepers agree with the cluster', () => {
    const { root: cluster } = read('cluster.xml');
    const { root: node } = read('node.xml');
    const [name = ''] = texts(node, 'clickhouse/macros/replica');
    const [shard = ''] = texts(node, 'clickhouse/macros/shard');
    const shards = find(cluster, 'clickhouse/remote_servers/firmament/shard');
    assert.ok(texts(shards[Number(shard) - 1] ?? assert.fail(), 'replica/host').includes(name));
    const keeper = 'clickhouse/keeper_server';
    assert.deepEqual(
      texts(cluster, 'clickhouse/zookeeper/node/host'),
      texts(node, `${keeper}/raft_configuration/server/hostname`),
    );
    const [keeperPort] = texts(node, `${keeper}/tcp_port`);
    for (const port of texts(cluster, 'clickhouse/zookeeper/node/port')) assert.equal(port, keeperPort);
    const [id] = texts(node, `${keeper}/server_id`);
    assert.ok(texts(node, `${keeper}/raft_configuration/server/id`).includes(id ?? ''));
  });

  test('one node listens where CLICKHOUSE_URL says, and the user may do what the engine does', () => {
    const { root, source } = read('one-node.xml');
    assert.equal(hostsOf(source).length, 1);
    assert.deepEqual(texts(root, 'clickhouse/https_port'), ['8443']);
    const grants = texts(read('users.xml').root, 'clickhouse/users/firmament/grants/query').join('\n');
    for (const needed of ['CREATE DATABASE', 'CREATE TABLE', 'DROP TABLE', 'SELECT', 'INSERT'])
      assert.match(grants, new RegExp(`${needed}\\b.*ON firmament\\.\\*`));
    for (const table of ['clusters', 'macros', 'tables'])
      assert.match(grants, new RegExp(`SELECT ON system\\.${table}`));
  });
});
