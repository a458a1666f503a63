import { describe, expect, it } from 'vitest';
import { featureGatesOption } from '../option-groups.ts';
import { defineOptions } from './definition.ts';
import { helpText, referenceTable } from './help.ts';

const definitions = defineOptions({
  clusterName: { type: 'string', required: true, description: 'Name on the hub.' },
  leaseDuration: { type: 'duration', default: '137s', group: 'Leader election', description: 'Lease.' },
  verbosity: { type: 'integer', flag: 'v', short: 'v', default: 0, group: 'Log', description: 'More.' },
  loggingFormat: { type: 'choice', choices: ['json', 'text'], group: 'Log', description: 'Format.' },
  drivers: {
    type: 'list',
    default: ['csr', 'grpc'],
    env: 'DRIVERS',
    description: 'Drivers.',
    deprecated: 'use --auth',
  },
  labels: { type: 'map', default: { a: 'b' }, description: 'Labels.' },
  featureGates: featureGatesOption({ ClusterImporter: { default: false, stage: 'alpha', description: 'Imports.' } }),
});

describe('help', () => {
  it('shows each flag with type, default, environment and meaning, group by group', () => {
    expect(helpText(definitions, { program: 'flotilla-hub', description: 'Runs a hub.', envPrefix: 'FLOTILLA' })).toBe(
      `Usage: flotilla-hub [flags]

Runs a hub.

Leader election:
  --lease-duration duration
        Lease. (default 137s; env FLOTILLA_LEASE_DURATION)

Log:
  -v, --v integer
        More. (default 0; env FLOTILLA_V)
  --logging-format json|text
        Format. (env FLOTILLA_LOGGING_FORMAT)

Features:
  --feature-gates Name=boolean,…
        Features to switch on or off. (env FLOTILLA_FEATURE_GATES)
        ClusterImporter (alpha, default false): Imports.

Other:
  --cluster-name string
        Name on the hub. (required; env FLOTILLA_CLUSTER_NAME)
  --drivers list
        Drivers. Deprecated: use --auth. (default csr,grpc; env DRIVERS)
  --labels key=value,…
        Labels. (default a=b; env FLOTILLA_LABELS)
  --config string
        YAML file with options: names of flags without dashes as keys. Flags and environment win over it. (env FLOTILLA_CONFIG)
  -h, --help
        Show this text.
  --version
        Show the version.
`,
    );
  });
});

describe('the reference', () => {
  it('is a table for each group, with the bars inside cells escaped', () => {
    const reference = referenceTable(definitions, 'FLOTILLA');
    expect(reference).toContain('### Log\n\n| flag | type | default | environment | meaning |\n| --- |');
    expect(reference).toContain('| `-v`, `--v` | integer | `0` | `FLOTILLA_V` | More. |');
    expect(reference).toContain('| `--logging-format` | json\\|text |  | `FLOTILLA_LOGGING_FORMAT` | Format. |');
    expect(reference).toContain('switch on or off.<br>ClusterImporter (alpha, default false): Imports. |');
  });
});
