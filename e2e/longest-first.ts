import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites of forty seconds and more: whole guides, the operator, and those that wait for deadlines of programs. At the end one would run alone. */
const long =
  /\/(guides|operator)\/|\/(operators-in-turn|ocm-agent|ocm-hub|cluster-proxy-client-go|life|lifecycle|streams|removal|another-address|crowd|informer-faults)\.|\/cluster-proxy\/kubectl\.|\/push\/(faults|proxies)\./;

/** Starts the longest suites first, so that all workers end at about the same time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
