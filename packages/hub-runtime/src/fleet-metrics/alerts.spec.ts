import { alertRules, fleetDashboard } from '@flotilla/install/chart';
import { createKubeClient, realClock, silentLogger } from '@flotilla/kube';
import { kitMetricsFor, Metrics } from '@flotilla/process';
import { EMPTY } from 'rxjs';
import { expect, it } from 'vitest';
import { fleetMetrics } from './fleet-metrics.ts';

const fail = async () => {
  throw new Error('not asked');
};
const client = createKubeClient({
  transport: { request: fail, stream: fail, accessChanged: EMPTY, async close() {} },
});

/** The names that a query reads: words that a selector, an operator or a bracket of time follows. */
const namesIn = (query: string): string[] => [
  ...new Set(query.match(/\b(flotilla_|leader_election_|controller_runtime_|workqueue_)\w+/g) ?? []),
];

it('alerts and dashboard use metrics that the programs of a hub have, and nothing else', () => {
  const metrics = new Metrics({ prefix: 'flotilla', processMetrics: false });
  kitMetricsFor(metrics)('hub');
  using _ = fleetMetrics(metrics, { client, clock: realClock, log: silentLogger });
  const known = new Set(metrics.registry.getMetricsAsArray().map(({ name }) => name));
  const queries = [
    ...alertRules().map(({ expr }) => expr),
    ...fleetDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  expect(queries.length).toBeGreaterThan(10);
  for (const query of queries) {
    const names = namesIn(query);
    expect(names.length, query).toBeGreaterThan(0);
    for (const name of names) expect(known, `${name} in ${query}`).toContain(name);
  }
});
