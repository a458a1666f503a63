import { formatAge } from '../../output/table.ts';
import type { Explanation } from './explanation.ts';
import type { LiveObject, ManifestExplanation, Said } from './manifest-explanation.ts';
import { withoutPromise } from './next-try.ts';
import type { Writer } from './writers.ts';

const width = 12;
const line = (label: string, text: string, indent = ''): string => `${indent}${label.padEnd(width)}${text}`;

const saidText = ({ status, since, message }: Said, now: number): string => {
  const when = since === undefined ? '' : `, for ${formatAge(since, now)}`;
  return status === 'True' || message === '' ? `${status}${when}` : `${status}${when}: ${withoutPromise(message)}`;
};

function writerText({ manager, operation, time, fields, contested }: Writer, now: number): string {
  const when = time === undefined ? '' : ` ${formatAge(time, now)} ago`;
  const fight = contested.length > 0 ? ` — the manifest sets ${contested.join(', ')} too` : '';
  return `${manager} (${operation}${when}): ${fields.join(', ')}${fight}`;
}

function liveText(live: LiveObject, now: number): string {
  if (live.state === 'absent') return 'does not exist';
  if (live.state === 'unreadable') return `cannot be read: ${live.why}`;
  const facts = [
    `created ${formatAge(live.created, now)} ago`,
    live.owned && !live.sharedWith ? 'is deleted with the work' : 'stays when the work is deleted',
    ...(live.sharedWith ? [`also belongs to ${live.sharedWith.join(', ')}`] : []),
    ...(live.tracked ? [] : ['not the object that the agent applied']),
    ...(live.deleting ? [`being deleted for ${formatAge(live.deleting, now)}`] : []),
  ];
  return `exists, ${facts.join(', ')}`;
}

function manifestLines(manifest: ManifestExplanation, now: number): string[] {
  const { index, object, strategy, applied, available, conditions, feedback, nextTry, live, lastError } = manifest;
  const indent = '    ';
  const isRepeated = [applied.message, available.message].includes(lastError ?? '');
  return [
    `[${index}] ${object}`,
    ...(strategy === undefined ? [] : [line('strategy', strategy, indent)]),
    line('applied', saidText(applied, now), indent),
    ...(nextTry === undefined ? [] : [line('next try', nextTry.when, indent)]),
    line('available', saidText(available, now), indent),
    ...conditions.map((condition) => line(condition.type.toLowerCase(), saidText(condition, now), indent)),
    ...(feedback.length > 0 ? [line('feedback', feedback.join('  '), indent)] : []),
    ...(lastError === undefined || isRepeated ? [] : [line('error', lastError, indent)]),
    ...(live ? [line('object', liveText(live, now), indent)] : []),
    ...(live?.writers ?? []).map((writer) => line('written by', writerText(writer, now), indent)),
  ];
}

/** An explanation as text. */
export function renderExplanation(explanation: Explanation, now: number): string {
  const { work, cluster, summary, chain, manifests, advice } = explanation;
  return [
    `Work ${work} on ${cluster}: ${summary}`,
    '',
    ...chain.map(({ where, state }) => line(where, state)),
    ...manifests.flatMap((manifest) => ['', ...manifestLines(manifest, now)]),
    ...(advice.length > 0 ? ['', 'What to do:', ...advice.map((text) => `- ${text}`)] : []),
  ]
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}
