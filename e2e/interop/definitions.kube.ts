import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { conversionService, customResourceDefinitions } from '@flotilla/api-types/kinds';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

/**
 * What ours have beyond the version of OCM that is compiled here (`e2e/ocm/go.mod`), because we speak a later one. Anything
 * else that differs is a fault; once that version moves on, what stands here too long is found as well.
 */
const ignoreFields = 'updateStrategy.properties.serverSideApply.properties.ignoreFields.items';
const sinceVersion13: Readonly<Record<string, readonly string[]>> = {
  'manifestworks.work.open-cluster-management.io v1': ignoredFields('spec.properties.manifestConfigs'),
  'manifestworkreplicasets.work.open-cluster-management.io v1alpha1': ignoredFields(
    'spec.properties.manifestWorkTemplate.properties.manifestConfigs',
  ),
  'addontemplates.addon.open-cluster-management.io v1alpha1': ignoredFields(
    'spec.properties.agentSpec.properties.manifestConfigs',
  ),
  'clustermanagers.operator.open-cluster-management.io v1': [
    'spec.properties.deployOption.properties.default.properties.addonWebhookConfiguration',
    'spec.properties.placementConfiguration',
  ],
  'placements.cluster.open-cluster-management.io v1beta1': [
    'spec.properties.scoreRateLimit',
    'spec.properties.sortBy',
    'status.properties.lastScoreUpdateTime',
  ],
  'placementdecisions.cluster.open-cluster-management.io v1beta1': [
    'status.properties.decisions.items.properties.score',
  ],
};

function ignoredFields(configs: string): string[] {
  const path = `${configs}.items.properties.${ignoreFields}`;
  return ['jsonPaths.minItems', 'jqPathExpressions', 'jsonPointers']
    .map((field) => `${path}.properties.${field}`)
    .concat(`${path}.required`);
}

/** Columns that ours have beyond those of OCM: after them, or, for the mode of a cluster, before its age. */
const addedColumns: Readonly<Record<string, readonly string[]>> = {
  'manifestworkreplicasets.work.open-cluster-management.io v1alpha1': [4, 5, 6, 7, 8].map(
    (index) => `.additionalPrinterColumns.${index}`,
  ),
  'managedclusters.cluster.open-cluster-management.io v1': ['4.jsonPath', '4.name', '4.type', '5'].map(
    (path) => `.additionalPrinterColumns.${path}`,
  ),
};

/** What ours admit beyond OCM: clusters of EKS in every partition (ADR 0064). */
const widened: Readonly<Record<string, readonly string[]>> = {
  'clustermanagers.operator.open-cluster-management.io v1': [
    'spec.properties.registrationConfiguration.properties.registrationDrivers.items.properties.awsirsa.properties.hubClusterArn.pattern',
  ],
  'klusterlets.operator.open-cluster-management.io v1': ['hubClusterArn', 'managedClusterArn'].map(
    (field) =>
      `spec.properties.registrationConfiguration.properties.registrationDriver.properties.awsIrsa.properties.${field}.pattern`,
  ),
};

type Version = CustomResourceDefinition['spec']['versions'][number];

/** A version of a kind as it is served, with what concerns all of its versions. */
interface Served {
  readonly id: string;
  readonly schema: unknown;
  readonly rest: unknown;
}

const servedBy = ({ metadata, spec }: CustomResourceDefinition): Served[] =>
  spec.versions.map(
    ({
      name,
      served,
      schema,
      subresources,
      additionalPrinterColumns,
      deprecated,
    }: Version & {
      deprecated?: boolean;
    }) => ({
      id: `${metadata.name} ${name}`,
      schema: schema.openAPIV3Schema,
      rest: {
        scope: spec.scope,
        names: spec.names,
        group: spec.group,
        served,
        subresources,
        additionalPrinterColumns,
        deprecated,
      },
    }),
  );

/** The paths at which two schemas differ; descriptions do not count, nor the order of lists that are sets. */
function differences(theirs: unknown, ours: unknown, path = '', isSchema = true): string[] {
  if (Array.isArray(theirs) && Array.isArray(ours) && /\.(required|enum)$/.test(path)) {
    return JSON.stringify([...theirs].sort()) === JSON.stringify([...ours].sort()) ? [] : [path];
  }
  if (!isContainer(theirs) || !isContainer(ours)) return theirs === ours ? [] : [path];
  const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  return [...keys]
    .filter((key) => !(isSchema && key === 'description'))
    .flatMap((key) => differences(theirs[key], ours[key], `${path}.${key}`, !isSchema || key !== 'properties'));
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

let theirs: readonly Served[];
beforeAll(async () => {
  const cwd = fileURLToPath(new URL('../ocm', import.meta.url));
  const module = 'open-cluster-management.io/api';
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], { cwd });
  const directory: string = JSON.parse(stdout).Dir;
  const files = globSync(`${directory}/{addon,cluster,operator,work}/v*/*.crd.yaml`);
  theirs = files.flatMap((file) => servedBy(parse(readFileSync(file, 'utf8'))));
});

describe('the definitions of our kinds', () => {
  const ours = new Map(
    customResourceDefinitions(conversionService('open-cluster-management-hub'))
      .flatMap(servedBy)
      .map((version) => [version.id, version]),
  );

  it('are all that OCM has, and no other', () => {
    const ids = new Set(theirs.map(({ id }) => id));
    expect([...ids].filter((id) => !ours.has(id))).toEqual([]);
    expect([...ours.keys()].filter((id) => !ids.has(id))).toEqual(['clusterprofiles.multicluster.x-k8s.io v1alpha1']);
  });

  it.each([...ours.keys()].filter((id) => !id.startsWith('clusterprofiles.')))(
    'mean what those of OCM mean: %s',
    (id) => {
      const found = theirs.filter((version) => version.id === id);
      expect(found).not.toEqual([]);
      for (const { schema, rest } of found) {
        expect(differences(schema, ours.get(id)?.schema).sort()).toEqual(
          [...(sinceVersion13[id] ?? []), ...(widened[id] ?? [])].map((path) => `.properties.${path}`).sort(),
        );
        expect(differences(rest, ours.get(id)?.rest)).toEqual(addedColumns[id] ?? []);
      }
    },
  );
});
