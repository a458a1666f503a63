/** What to do about credentials that had ended by the clock of this cluster when it got them. */
export const wrongClockMessage = (why: string, now: number): string =>
  `the credentials that the hub issued have ended: ${why}, and the clock of this cluster says ${new Date(now).toISOString()}. If they ` +
  'were issued a moment ago, set the clocks of the cluster and of the hub right (NTP)';
