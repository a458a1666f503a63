import { constantsOf, type NameTable } from './name-table.ts';

export const healthCheckTable = {
  HubKubeconfig: {
    value: 'hub-kube-config',
    on: ['Pod'],
    meaning: 'Of the registration agent: its credential still opens the hub.',
  },
  Healthz: { value: 'healthz-ping', on: ['Pod'], meaning: 'Of webhooks: the process answers.' },
  Readyz: { value: 'readyz-ping', on: ['Pod'], meaning: 'Of webhooks: the process is ready.' },
} as const satisfies NameTable;

/** Health checks by the names under which endpoints report them. */
export const HealthCheckName = /* @__PURE__ */ constantsOf(healthCheckTable);
