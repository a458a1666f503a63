import { type FeatureGateValues, featureGateValues } from '@flotilla/api-types';
import type { Clock, Controller, Informers } from '@flotilla/kube';
import { annotationController } from './annotation/annotation.controller.ts';
import { addonCaches } from './caches.ts';
import { configurationController } from './configuration/configuration.controller.ts';
import { installProgressionController } from './install-progression/install-progression.controller.ts';
import { managementController } from './management/management.controller.ts';
import { ownerController } from './owner/owner.controller.ts';
import { addOnWorks } from './progressing/add-on-work.ts';
import { progressingController } from './progressing/progressing.controller.ts';
import { createTemplates, type TemplatesInput } from './template/create-templates.ts';
import { tokenInfrastructureController } from './token-infrastructure/token-infrastructure.controller.ts';

/** What the add-on manager is made of. */
export interface AddonManagerInput {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly gates?: FeatureGateValues;
  /** Where the gRPC server of the hub runs, which requests tokens for clusters. Default: OCM's namespace of the hub. */
  readonly hubNamespace?: string;
  /** Runs add-ons that consist of templates. Absent: another process does. */
  readonly templates?: TemplatesInput;
}

/** The hub's side of add-ons: give its controllers to `runControllers`. */
export interface AddonManager {
  readonly controllers: readonly Controller[];
  /** Ends template add-ons; to be called after the controllers. */
  close(): Promise<void>;
}

/** Makes the hub's controllers of add-ons: none if their gate is off. Gates have OCM's names and defaults. */
export function createAddonManager({
  informers,
  clock,
  gates,
  templates,
  hubNamespace,
}: AddonManagerInput): AddonManager {
  if (!featureGateValues('hub-addon', gates).AddonManagement) return { controllers: [], close: async () => {} };
  const caches = addonCaches(informers, clock);
  const works = addOnWorks(informers);
  const ofTemplates = templates && createTemplates(caches, informers, templates);
  return {
    controllers: [
      managementController(caches),
      installProgressionController(caches),
      configurationController(caches, works),
      ownerController(caches),
      progressingController(caches, works),
      annotationController(caches),
      tokenInfrastructureController(caches, informers, hubNamespace),
      ...(ofTemplates ? [ofTemplates.controller] : []),
    ],
    close: async () => ofTemplates?.close(),
  };
}
