import { renderFor } from '@flotilla/addon-sdk/testing';
import type { AddOnTemplate } from '@flotilla/api-types';
import { type Logger, silentLogger } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { templateOf } from './fixtures/template.ts';
import { templateAddon } from './template-addon.ts';

function start() {
  const warnings: [message: string, fields?: object][] = [];
  const log: Logger = { ...silentLogger, warn: (...warning) => warnings.push(warning) };
  const signWith = () => () => Promise.reject(new Error('nothing is signed here'));
  const definition = templateAddon('hello', { signWith, log });
  return {
    /** Renders a template with the text of an alert for a cluster. */
    async summary(cluster: string, text: string, generation = 1): Promise<unknown> {
      const spec = templateOf([
        {
          apiVersion: 'monitoring.coreos.com/v1',
          kind: 'PrometheusRule',
          metadata: { name: 'alerts', namespace: 'own' },
          spec: { summary: text },
        },
      ]);
      const template: AddOnTemplate = { metadata: { name: 'hello-1', generation }, spec };
      const [rule] = await renderFor(definition, { cluster, configs: { template } });
      return rule && new Map(Object.entries(rule)).get('spec');
    },
    taken: () => warnings.splice(0),
  };
}

describe('a text of a template with {{NAME}} that no variable has as its name', () => {
  const fields = { addon: 'hello', template: 'hello-1' };
  const warning = (name: string) => [
    `a template uses {{${name}}}, which no variable has as its name: it is replaced by nothing`,
    fields,
  ];

  it('is replaced by nothing, as in OCM, and the log names it', async () => {
    const { summary, taken } = start();
    expect(await summary('c1', '{{CLUSTER_NAME}}: {{ $labels.pod }} of {{NAMESPACE}} fails')).toEqual({
      summary: 'c1:  of  fails',
    });
    expect(taken()).toEqual([warning(' $labels.pod '), warning('NAMESPACE')]);
  });

  it('is named once for all clusters, and again when the template changes', async () => {
    const { summary, taken } = start();
    for (const cluster of ['c1', 'c2', 'c1']) await summary(cluster, '{{NAMESPACE}}');
    expect(taken()).toEqual([warning('NAMESPACE')]);
    await summary('c1', '{{NAMESPACE}}', 2);
    expect(taken()).toEqual([warning('NAMESPACE')]);
  });

  it('is named a hundred times at most', async () => {
    const { summary, taken } = start();
    const names = Array.from({ length: 150 }, (_, index) => `{{NAME${index}}}`);
    await summary('c1', names.join(' '));
    expect(taken()).toHaveLength(100);
  });
});
