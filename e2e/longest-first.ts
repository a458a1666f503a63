import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites that follow whole guides, or install by the operator: some take minutes, and at the end one would run alone. */
const long = /\/(guides|operator)\/|\/operators-in-turn\./;

/** Starts the longest suites first, so that all workers end at about the same time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
