import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { cronError } from './cron.ts';
import { validatePodTemplate } from './pod.ts';
import { selects } from './selector.ts';

const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];
const replacementPolicies = ['Failed', 'TerminatingOrFailed'];

export function validateJob(job: Field, old?: Field): void {
  const spec = job.at('spec');
  validateJobSpec(spec);
  const selector = spec.at('selector');
  const labels = spec.at('template').at('metadata').at('labels');
  if (!selector.present) selector.required();
  else validateLabelSelector(selector);
  if (!selector.present || !selects(selector, labels.fields)) {
    labels.invalid('`selector` does not match template `labels`');
  }
  if (!spec.at('manualSelector').flag) validateGeneratedSelector(job);
  if (old) validateJobUpdate(spec, old.at('spec'));
}

/** Without `manualSelector` the selector is the server's to make. */
function validateGeneratedSelector(job: Field): void {
  const uid = job.at('metadata').at('uid').text;
  const selector = job.at('spec').at('selector');
  const labels = selector.at('matchLabels').fields;
  const generated = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
  const isGenerated =
    Object.entries(labels).every(([key, value]) => generated.includes(key) && value === uid) &&
    Object.keys(labels).length === 1;
  if (selector.present && !isGenerated) selector.invalid('`selector` not auto-generated');
}

function validateJobSpec(spec: Field): void {
  for (const count of counts) spec.at(count).notNegative();
  const mode = spec.at('completionMode');
  if (mode.present) {
    if (mode.text !== 'NonIndexed' && mode.text !== 'Indexed') mode.notSupported(['NonIndexed', 'Indexed']);
    if (mode.text === 'Indexed') {
      if (!spec.at('completions').present) spec.at('completions').required('when completion mode is Indexed');
      if (spec.at('parallelism').number > 100000) {
        spec.at('parallelism').invalid('must be less than or equal to 100000 when completion mode is Indexed');
      }
    }
  }
  if (mode.text === 'NonIndexed') {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
      if (spec.at(name).present) spec.at(name).invalid('requires indexed completion mode');
    }
  }
  const replacement = spec.at('podReplacementPolicy');
  if (spec.at('podFailurePolicy').present) {
    if (replacement.present && replacement.text !== 'Failed') replacement.notSupported(['Failed']);
  } else if (replacement.present && !replacementPolicies.includes(replacement.text)) {
    replacement.notSupported(replacementPolicies);
  }
  validatePodTemplate(spec.at('template'));
  const restarts = spec.at('template').at('spec').at('restartPolicy');
  if (restarts.text === '' || restarts.text === 'Always') {
    restarts.required('valid values: "OnFailure", "Never"');
  } else if (restarts.text !== 'OnFailure' && restarts.text !== 'Never') {
    restarts.notSupported(['OnFailure', 'Never']);
  }
}

function validateJobUpdate(spec: Field, old: Field): void {
  if (spec.at('completionMode').text !== 'Indexed' || !spec.at('completions').present) {
    spec.at('completions').immutable(old.at('completions'));
  }
  spec.at('selector').immutable(old.at('selector'));
  // A suspended job that has not begun may still be given other nodes; all other fields are immutable.
  if (!(old.at('suspend').flag || spec.at('suspend').flag)) spec.at('template').immutable(old.at('template'));
  for (const name of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']) {
    spec.at(name).immutable(old.at(name));
  }
}

export function validateCronJob(cronJob: Field): void {
  const name = cronJob.at('metadata').at('name');
  if (name.text.length > 52) name.invalid('must be no more than 52 characters');
  const spec = cronJob.at('spec');
  const schedule = spec.at('schedule');
  if (schedule.text === '') schedule.required();
  else {
    const message = cronError(schedule.text);
    if (message !== undefined) schedule.invalid(message);
    else if (schedule.text.includes('TZ')) {
      schedule.invalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
    }
  }
  validateTimeZone(spec.at('timeZone'));
  spec.at('startingDeadlineSeconds').notNegative();
  spec.at('concurrencyPolicy').oneOf(['Allow', 'Forbid', 'Replace']);
  const template = spec.at('jobTemplate').at('spec');
  validateJobSpec(template);
  if (template.at('selector').present) template.at('selector').invalid('`selector` will be auto-generated');
  if (template.at('manualSelector').flag) template.at('manualSelector').notSupported(['nil', 'false']);
  spec.at('successfulJobsHistoryLimit').notNegative();
  spec.at('failedJobsHistoryLimit').notNegative();
}

function validateTimeZone(zone: Field): void {
  if (!zone.present) return;
  if (zone.text === '') zone.invalid('timeZone must be nil or non-empty string');
  else if (!isTimeZone(zone.text)) zone.invalid(`unknown time zone ${zone.text}`);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false; // A RangeError is how Intl says that it does not know the zone.
  }
}
