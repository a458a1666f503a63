import { createAddonEngine } from '@flotilla/addon-sdk';
import type { Controller, Informers, KubeClient, Logger } from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';
import type { AddonCaches } from '../caches.ts';
import { signingWith } from './signing.ts';
import { templateController } from './template.controller.ts';
import { templateAddon } from './template-addon.ts';

/** What template add-ons run with, beside the caches of the add-on manager. */
export interface TemplatesInput {
  readonly client: KubeClient;
  /** That of the add-on manager: where the Secrets of signers are that name no namespace. */
  readonly namespace: string;
  readonly log: Logger;
  readonly metrics?: KitMetrics;
}

/** Template add-ons at work. */
export interface Templates {
  readonly controller: Controller;
  /** Ends all of them, after the controller. */
  close(): Promise<void>;
}

/** Makes what runs add-ons that consist of templates. */
export function createTemplates(
  caches: AddonCaches,
  informers: Informers,
  { client, namespace, log, metrics }: TemplatesInput,
): Templates {
  const { clock } = caches;
  const { placementOf } = caches;
  const engine = createAddonEngine({ client, informers, placementOf, clock, log, ...(metrics && { metrics }) });
  const signWith = signingWith({ client, namespace, clock });
  const define = (name: string) => templateAddon(name, { signWith, log });
  return { controller: templateController(caches, { informers, engine, define }), close: () => engine.close() };
}
