import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ManagedClusterCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BareServer } from '../cli/bare-server.ts';
import { grant } from '../cluster-proxy/proxy-fleet.ts';
import { serverKinds } from '../registration/servers.ts';
import { type MemberProxy, type MemberProxyOptions, startMemberProxy } from './member-proxy.ts';
import { type PushWorld, pollOptions, startPushWorld } from './push-world.ts';

const header = ['X-Fleet-Pass', 'let us in, please'] as const;
/** What each proxy demands. The kubeconfig has its URL; what it has no field for is given to join. */
const proxies = {
  http: { scheme: 'http', header },
  https: { scheme: 'https', header },
  socks5: { scheme: 'socks5', credentials: 'ann:secret' },
} as const satisfies Readonly<Record<string, Omit<MemberProxyOptions, 'targetPort'>>>;
type Scheme = keyof typeof proxies;
const schemes = ['http', 'https', 'socks5'] as const satisfies readonly Scheme[];
const isDown = 'ECONNREFUSED';

describe.each(serverKinds)(
  'pushed clusters that only a proxy leads to, of a hub on %s',
  { timeout: 180_000 },
  (kind) => {
    let world: PushWorld;
    const members = new Map<string, { server: BareServer; proxy: MemberProxy; flags: string; hidden: string }>();
    const cleanup = new AsyncDisposableStack();
    let isWrong = false;
    const memberOf = (scheme: Scheme) => {
      const found = members.get(scheme);
      if (!found) throw new Error(`no member behind ${scheme}`);
      return found;
    };

    /** The name resolves nowhere: who has it for an address cannot go past the proxy. */
    const hide = async (scheme: Scheme) => {
      const server = await world.startMember(scheme, scheme === 'http' ? kind : 'embedded');
      const targetPort = Number(new URL(server.access.server).port);
      const proxy = cleanup.use(await startMemberProxy({ ...proxies[scheme], targetPort }));
      const hidden = `${scheme}.members.invalid:6443`;
      const kubeconfig = join(world.directory, `${scheme}-hidden.yaml`);
      const access = { ...server.access, server: `https://${hidden}`, tlsServerName: 'localhost', proxyUrl: proxy.url };
      await writeKubeconfig(kubeconfig, kubeconfigFor(access));
      const caFile = join(world.directory, `${scheme}-proxy.pem`);
      if (proxy.ca !== undefined) await writeFile(caFile, proxy.ca);
      const headers = 'header' in proxies[scheme] ? `--proxy-header '${header.join('=')}'` : '';
      const flags = `--cluster-kubeconfig ${kubeconfig} ${proxy.ca === undefined ? '' : `--proxy-ca-file ${caFile}`} ${headers}`;
      members.set(scheme, { server, proxy, flags, hidden });
    };

    beforeAll(async () => {
      world = cleanup.use(await startPushWorld(kind));
      await Promise.all(schemes.map(hide));
    }, 180_000);
    afterEach(({ task }) => {
      isWrong ||= task.result?.state === 'fail';
    });
    afterAll(async () => {
      if (isWrong) console.error(world?.logs());
      await cleanup.disposeAsync();
    });

    it.each(schemes)('join by %s', async (scheme) => {
      const { flags, proxy, hidden, server } = memberOf(scheme);
      const joined = await world.flotilla(`join ${scheme} ${flags} --feature-gates ClusterProxy=true`);
      expect(joined, joined.err).toMatchObject({ code: 0 });
      expect(new Set(proxy.opened)).toEqual(new Set([hidden]));
      // What the hub has is the hidden name only: not even by mistake can it reach the member itself.
      const { data = {} } = await world.hub.client.resource(secrets).get(`${scheme}/member-access`);
      const stored = Object.values(data).map((entry) => Buffer.from(entry, 'base64').toString());
      expect(stored.join('\n')).not.toContain(new URL(server.access.server).host);
    });

    it('are Available and get works', async () => {
      const before = schemes.map((scheme) => memberOf(scheme).proxy.opened.length);
      world.startPushAgents();
      await Promise.all(schemes.map((scheme) => world.whenAvailable(scheme)));
      const manifest = join(world.directory, 'hello.yaml');
      await writeFile(manifest, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hello, namespace: default }\n');
      const made = await world.flotilla(`create work hello -f ${manifest} --clusters ${schemes.join(',')} --wait`);
      expect(made, made.err).toMatchObject({ code: 0 });
      for (const [index, scheme] of schemes.entries()) {
        const { server, proxy } = memberOf(scheme);
        expect(await server.client.resource(configMaps).find('default/hello')).toBeDefined();
        expect(proxy.opened.length).toBeGreaterThan(before[index] ?? 0);
      }
    });

    it('are reached by users of the hub', async () => {
      await world.startClusterProxy();
      for (const scheme of schemes) {
        const { server, proxy } = memberOf(scheme);
        await grant(server, 'alice', 'edit', 'alice');
        const before = proxy.opened.length;
        const alice = world.clientThroughHub(scheme, 'alice');
        await vi.waitFor(() => alice.resource(configMaps).get('default/hello'), pollOptions);
        expect(proxy.opened.length).toBeGreaterThan(before);
        // A watch, which stays open, and a connection of its own, as for exec: the member has no such pod.
        const watch = await alice.transport.stream({
          method: 'GET',
          path: '/api/v1/namespaces/default/pods?watch=true',
        });
        watch.close();
        const path = '/api/v1/namespaces/default/pods/nosuch/exec?command=sh';
        const shell = await alice.transport.upgrade?.({ method: 'GET', path, protocol: 'websocket' });
        expect(shell).toMatchObject({ switched: false, status: 404 });
      }
    });

    it('are lost with their proxy, which the condition names, and are back with it', async () => {
      const { proxy, server } = memberOf('http');
      const port = Number(new URL(proxy.url).port);
      await proxy[Symbol.asyncDispose]();
      await world.whenAvailable('http', 'False');
      const { status } = await world.cluster('http');
      const condition = findCondition(status?.conditions, ManagedClusterCondition.Available);
      expect(condition?.message).toContain(`proxy localhost:${port}`);
      expect(condition?.message).toContain(isDown);
      await expect(world.clientThroughHub('http', 'alice').resource(configMaps).get('default/hello')).rejects.toThrow(
        `proxy localhost:${port}`,
      );
      expect(await world.condition('socks5', ManagedClusterCondition.Available)).toBe('True');
      const targetPort = Number(new URL(server.access.server).port);
      cleanup.use(await startMemberProxy({ scheme: 'http', header, port, targetPort }));
      await world.whenAvailable('http');
    });

    it('are refused by a proxy whose header is not given, before anything is changed', async () => {
      const { flags } = memberOf('https');
      const joined = await world.flotilla(`join another ${flags.replace(/--proxy-header .*/, '')}`);
      expect(joined.code).not.toBe(0);
      expect(joined.err).toContain('answered 403 to CONNECT https.members.invalid:6443');
    });

    it.each(schemes)('unjoin by %s', async (scheme) => {
      const { flags, server } = memberOf(scheme);
      const left = await world.flotilla(`unjoin ${scheme} ${flags} --wait 60s`);
      expect(left, left.err).toMatchObject({ code: 0 });
      expect(await server.client.resource(configMaps).find('default/hello')).toBeUndefined();
    });
  },
);
