import { type ConfigExplanation, describeConfig } from './configs.ts';
import type { AddOnExplanation } from './explanation.ts';

const width = 14;
const line = (label: string, text: string): string => `${label.padEnd(width)}${text}`;

/** A hash as far as it is read. */
const shortHash = (hash: string): string => hash.slice(0, 12);

function configText({ config, layer, from, desiredHash, appliedHash, state }: ConfigExplanation): string {
  const hash = desiredHash === undefined ? '' : `, hash ${shortHash(desiredHash)}`;
  const before = state === 'rolling out' && appliedHash !== undefined ? ` (has ${shortHash(appliedHash)})` : '';
  return `${describeConfig(config)}, from ${layer === 'default' ? 'the defaults of ' : ''}${from}${hash}: ${state}${before}`;
}

/** The first line has the label, those after it are below it. */
const block = (label: string, texts: readonly string[], none: string): string[] =>
  texts.length === 0 ? [line(label, none)] : texts.map((text, index) => line(index === 0 ? label : '', text));

/** An explanation as text. */
export function renderAddOnExplanation(explanation: AddOnExplanation): string {
  const { addOn, cluster, summary, clusterState, install, configs, rollout, registration, works, health } = explanation;
  return [
    `Add-on ${addOn} on ${cluster} ${summary}`,
    '',
    line('cluster', clusterState),
    line('install', install),
    ...block('configs', configs.map(configText), 'none'),
    ...(rollout === undefined ? [] : [line('rollout', rollout)]),
    ...(registration === undefined ? [] : [line('registration', registration)]),
    ...block(
      'works',
      works.map(({ name, namespace, state }) => `${namespace}/${name}: ${state}`),
      'none',
    ),
    line('health', health),
    line('waits for', explanation.waitsFor ?? 'nothing'),
    ...(explanation.advice.length > 0 ? ['', 'What to do:', ...explanation.advice.map((text) => `- ${text}`)] : []),
  ]
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}
