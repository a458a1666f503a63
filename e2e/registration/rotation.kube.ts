import { Label } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { inFleet } from './fleet.ts';
import { metricsOf } from './program.ts';
import { serverKinds, startServer } from './servers.ts';

/**
 * Certificates of two minutes would be renewed every 25 s or so: their signers let a life begin five minutes early, and an agent
 * renews when a fifth of it is left. Of twenty seconds, which both signers grant to who asks for no particular life, each is due
 * when it comes, and the agent lets a tenth pass: ten rotations in half a minute, by the same code.
 */
const certificateSeconds = 20;
const rotations = 10;
const timeoutMs = 200_000;

it.concurrent.each(serverKinds)(
  'on %s, an agent renews its certificate ten times, and no request fails',
  {
    timeout: 300_000,
  },
  (kind) =>
    inFleet(startServer(kind, { certificateSeconds, audit: true }), async (fleet) => {
      await using hub = fleet.startHub();
      const cluster = await fleet.newCluster();
      await using agent = cluster.startAgent('rotating', { flags: ['--cluster-healthcheck-period=500ms'] });
      await fleet.admin.admit('rotating');
      await fleet.admin.joined('rotating');
      const first = await cluster.identity();
      const failedBefore = failures(await metricsOf(agent));

      const issued = new Set<string>();
      await fleet.admin.seen.until(
        certificateSigningRequests,
        `${rotations} more certificates`,
        ({ metadata, status }) => {
          if (metadata?.labels?.[Label.ClusterName] === 'rotating' && status?.certificate)
            issued.add(metadata.name ?? '');
          return issued.size > rotations;
        },
        timeoutMs,
      );
      await agent.said('stored new credentials');
      expect(failures(await metricsOf(agent))).toEqual(failedBefore);
      expect(hub.log.filter(({ level }) => level === 'error')).toEqual([]);
      expect((await cluster.identity())?.['tls.crt']).not.toBe(first?.['tls.crt']);
      const phases = agent.log.filter(({ msg }) => String(msg).startsWith('the agent is ')).map(({ msg }) => msg);
      expect(phases).toEqual(['the agent is bootstrapping', 'the agent is joining', 'the agent is running']);

      const events = (await fleet.hub.auditEvents?.()) ?? [];
      const own = events.filter(({ user }) => user.username.startsWith('system:open-cluster-management:rotating:'));
      const refused = own.filter(({ responseStatus }) => [401, 403].includes(responseStatus?.code ?? 0));
      console.log(`${kind}: ${issued.size} certificates; ${own.length} requests in the audit log`);
      if (kind === 'kube-apiserver') expect(own.length).toBeGreaterThan(rotations);
      // Before the hub has accepted it, a cluster may see nothing.
      const accepted = own.findIndex(({ responseStatus }) => (responseStatus?.code ?? 0) < 300);
      expect(refused.filter((event) => own.indexOf(event) > accepted)).toEqual([]);
    }),
);

/** Counts of requests to the hub that were answered with an error, or not at all. */
const failures = (metrics: string): string[] =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith('rest_client_requests_total') && !/code="[23]\d\d"/.test(line))
    .filter((line) => !/code="(404|409)"/.test(line));
