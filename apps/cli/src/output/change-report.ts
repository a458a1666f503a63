import type { CliContext } from '../context.ts';
import { formatObjects, isMachineFormat } from './format.ts';
import { kubectlName, type TypedObject } from './kubectl-name.ts';

/** Says which objects a command wrote or deleted: each at once as text or by its name, all at the end as JSON or YAML. */
export interface ChangeReport {
  /** One that was written, or found as it should be; `line` says which. */
  add(object: TypedObject, line: string): void;
  end(): void;
}

/** On standard output. */
export function startChangeReport(
  { out }: Pick<CliContext, 'out'>,
  { dryRun = false, output }: { readonly dryRun?: boolean | undefined; readonly output: string },
): ChangeReport {
  const objects: TypedObject[] = [];
  return {
    add(object, line) {
      if (isMachineFormat(output)) objects.push(object);
      else out.write(output === 'name' ? `${kubectlName(object)}\n` : `${line}${dryRun ? ' (dry run)' : ''}\n`);
    },
    end() {
      if (isMachineFormat(output)) out.write(formatObjects(objects, output));
    },
  };
}
