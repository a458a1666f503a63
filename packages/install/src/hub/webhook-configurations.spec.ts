import { describe, expect, it } from 'vitest';
import { webhookConfigurations } from './webhook-configurations.ts';

const webhooks = (endpoint: Parameters<typeof webhookConfigurations>[0]) =>
  webhookConfigurations(endpoint).flatMap(({ webhooks: found = [] }) => found);

describe('the webhook configurations of a hub', () => {
  it('[registration-hub 149] are called neither about the status of objects nor about their deletion', () => {
    const rules = webhooks('services').flatMap(({ rules: found = [] }) => found);
    expect(rules.length).toBeGreaterThan(3);
    for (const { resources = [], operations } of rules) {
      expect(operations).toEqual(['CREATE', 'UPDATE']);
      for (const resource of resources) expect(resource).toMatch(/^[a-z]+$/);
    }
  });

  it('are binding: a write is refused while the server does not answer', () => {
    expect(webhooks('services').map(({ failurePolicy }) => failurePolicy)).toEqual(Array(6).fill('Fail'));
  });

  it('have one path each, behind the services of OCM or at the given address', () => {
    const byService = webhooks('services').map(({ clientConfig: { service } }) => service?.path);
    const byUrl = webhooks({ url: 'https://127.0.0.1:9443/' }).map(({ clientConfig: { url } }) => url);
    expect(byUrl).toEqual(byService.map((path) => `https://127.0.0.1:9443${path}`));
    expect(new Set(byService).size).toBe(6);
  });
});
