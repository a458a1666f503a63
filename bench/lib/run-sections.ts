import { type Figure, outOfBounds, table } from './report.ts';

/** Measures one section after the other, prints the table, and fails the process if a bound is broken. */
export async function runSections(sections: readonly (readonly [string, () => Promise<Figure[]>])[]): Promise<void> {
  const figures: Figure[] = [];
  for (const [name, measure] of sections) {
    console.error(`measuring ${name} …`);
    const measured = await measure();
    // A later section may fail after minutes: results are printed at once.
    console.error(table(measured));
    figures.push(...measured);
  }
  console.log(table(figures));
  for (const { what } of outOfBounds(figures)) {
    console.error(`out of bounds: ${what}`);
    process.exitCode = 1;
  }
}
