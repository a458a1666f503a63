import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { clusterManagerDefinitions } from '@flotilla/install/chart';
import { createInformers, type Informers, realClock, runControllers } from '@flotilla/kube';
import { type CustomResourceDefinition, customResourceDefinitionResource } from '@flotilla/schema/define';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownDefinitionController } from './own-definition.controller.ts';

const name = 'clustermanagers.operator.open-cluster-management.io';
const patience = { timeout: 10_000, interval: 20 };

let plane: ControlPlane;
let informers: Informers;
let end: AbortController;
let running: Promise<void>;
let ours: CustomResourceDefinition;

const definitions = () => plane.client.resource(customResourceDefinitionResource);
const withVersion = (version: string, description: string): CustomResourceDefinition => {
  const [first, ...others] = ours.spec.versions;
  if (!first) throw new Error('the definition has no version');
  const openAPIV3Schema = { ...first.schema.openAPIV3Schema, description };
  const annotations = { 'operator.open-cluster-management.io/version': version };
  const versions = [{ ...first, schema: { openAPIV3Schema } }, ...others];
  return { ...ours, metadata: { ...ours.metadata, annotations }, spec: { ...ours.spec, versions } };
};
const description = async () => (await definitions().find(name))?.spec.versions[0]?.schema.openAPIV3Schema.description;

beforeEach(async () => {
  plane = await startControlPlane({ listen: false });
  [ours] = (await clusterManagerDefinitions()) as [CustomResourceDefinition];
  informers = createInformers({ client: plane.client, clock: realClock });
  end = new AbortController();
});
afterEach(async () => {
  end.abort();
  await running;
  informers.close();
  await plane.stop();
});

const run = () => {
  running = runControllers([ownDefinitionController(informers, ours)], { signal: end.signal, clock: realClock });
};

describe('the definition of the kind that an operator reconciles', () => {
  it('is upgraded when a chart of an older release installed it', async () => {
    await definitions().create(withVersion('1.0.0', 'older'));
    run();
    await expect.poll(description, patience).toBe(ours.spec.versions[0]?.schema.openAPIV3Schema.description);
  });

  it('stays when a newer operator wrote it, and is not created again when it was deleted', async () => {
    await definitions().create(withVersion('99.0.0', 'newer'));
    run();
    await definitions().delete(name);
    await expect.poll(description, patience).toBeUndefined();
    await definitions().create(withVersion('99.0.0', 'newer again'));
    await expect.poll(description, patience).toBe('newer again');
  });
});
