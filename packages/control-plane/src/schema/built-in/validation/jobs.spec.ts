import { describe, expect, it } from 'vitest';
import { refusals } from '../../../../fixtures/object-schemas.ts';
import { cronError } from './cron.ts';

const uid = 'u-1';
const labels = { 'batch.kubernetes.io/controller-uid': uid };
const job = (spec: object = {}, pod: object = {}) => ({
  metadata: { uid },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'y' }], ...pod },
    },
    ...spec,
  },
});

describe('jobs', () => {
  it.each([
    ['a job with a made selector is fine', job(), []],
    [
      'pods of a job end',
      job({}, { restartPolicy: 'Always' }),
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'an indexed job says how many',
      job({ completionMode: 'Indexed', parallelism: 1 }),
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      'a selector of one owns is asked for',
      job({
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: job().spec.template.spec },
      }),
      ['spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` not auto-generated'],
    ],
  ])('%s', async (_what, object, expected) => {
    expect(await refusals('batch/jobs', object)).toEqual(expected);
  });

  it('what a job runs stays, how much at once does not', async () => {
    expect(await refusals('batch/jobs', job({ parallelism: 2, completions: 1 }), job())).toEqual([]);
    expect(await refusals('batch/jobs', job({ completions: 2 }), job())).toEqual([
      'spec.completions: Invalid value: 2: field is immutable',
    ]);
  });
});

describe('cronError', () => {
  it.each([
    ['five stars are a schedule', '* * * * *', undefined],
    ['names of months and days are known', '0 0 1 jan mon-fri', undefined],
    ['so are words', '@hourly', undefined],
    ['four fields are too few', '* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['there is no 61st minute', '61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['a range goes up', '5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['a step goes somewhere', '*/0 * * * *', 'step of range should be a positive number: */0'],
    ['letters are not numbers', 'a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['some words are not known', '@foo', 'unrecognized descriptor: @foo'],
  ])('%s', (_what, schedule, message) => {
    expect(cronError(schedule)).toBe(message);
  });
});
