import { checkPackage, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { PackedPackage } from './pack.ts';

/** What publint finds, suggestions too. */
export async function publintErrors(packed: PackedPackage): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: packed.tarball.buffer }, level: 'suggestion' });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/**
 * What "are the types wrong" finds for those who can use the packages: they are ES modules only, so the resolutions of old
 * CommonJS users do not count.
 */
export async function typesErrors({ unpacked }: PackedPackage): Promise<string[]> {
  const analysis = await checkPackage(unpacked);
  if (analysis.types === false) return ['attw: there are no types'];
  return analysis.problems.filter(concernsEsm).map((error) => `attw: ${describe(error)}`);
}

function concernsEsm(error: Problem): boolean {
  if ('resolutionKind' in error) return error.resolutionKind === 'node16-esm' || error.resolutionKind === 'bundler';
  return !('resolutionOption' in error) || error.resolutionOption !== 'node10';
}

function describe(error: Problem): string {
  const { kind, ...facts } = error;
  const shown = Object.entries(facts).filter(([name, value]) => name !== 'trace' && typeof value === 'string');
  return [kind, ...shown.map(([name, value]) => `${name} ${value}`)].join(', ');
}
