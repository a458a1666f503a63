/** How scheduling ended. Error and Misconfigured end it at once; with a Warning it continues. */
export type ScheduleCode = 'Success' | 'Warning' | 'Error' | 'Misconfigured';

/** How scheduling ended, in which plugin, and why. */
export interface ScheduleStatus {
  readonly code: ScheduleCode;
  /** The filter or prioritizer; empty for faults of the spec that belong to neither. */
  readonly plugin: string;
  readonly reasons: readonly string[];
}

/** Nothing to report. */
export const success: ScheduleStatus = { code: 'Success', plugin: '', reasons: [] };

/** A spec that cannot be carried out. */
export const misconfigured = (plugin: string, ...reasons: readonly string[]): ScheduleStatus => ({
  code: 'Misconfigured',
  plugin,
  reasons,
});

/** The reasons as one text. */
export const messageOf = ({ reasons }: ScheduleStatus): string => reasons.join(', ');

/** Thrown while a spec is compiled; carries what the condition reports. */
export class MisconfiguredError extends Error {
  override readonly name = 'MisconfiguredError';
  readonly status: ScheduleStatus;

  constructor(plugin: string, reason: string) {
    super(reason);
    this.status = misconfigured(plugin, reason);
  }
}
