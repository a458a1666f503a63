import { valuesErrors } from '@flotilla/install/chart';
import { isRecord } from '@flotilla/schema';
import type { StructuralSchema } from '@flotilla/schema/validation';
import { parse } from 'yaml';
import { CliError } from '../errors/cli-error.ts';
import { readText } from './bundle.ts';

/** Values of a chart from a file, checked against what the chart takes. */
export async function readValues<T>(flag: string, file: string, schema: () => Promise<StructuralSchema>): Promise<T> {
  const text = await readText(file, flag);
  let values: unknown;
  try {
    values = parse(text) ?? {};
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('usage', `${flag} ${file} is not YAML: ${reason}`, 'Fix the file.', error);
  }
  const errors = valuesErrors(values, await schema());
  if (errors.length === 0 && isRecord(values)) return values as T;
  const hint = 'What it may hold is in values.yaml of the chart, in deploy/charts.';
  throw new CliError('usage', `${flag} ${file}: ${errors.join('; ')}`, hint);
}
