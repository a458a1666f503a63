import type { DataType } from '../event/data-type.ts';

/** A call that has ended. */
export interface HandledCall {
  readonly method: 'Publish' | 'Subscribe' | 'Forward' | 'Tunnel';
  /** Absent for one that could not be read, or of a data type that is not served. */
  readonly dataType?: DataType;
  /** The name of its gRPC status, such as `OK`. */
  readonly code: string;
  readonly seconds: number;
}

/** What a server reports about itself, for metrics. */
export interface EventServerObserver {
  /** How many connections are open now. */
  connections(open: number): void;
  /** How many streams a cluster has open for a data type now. */
  subscribers(clusterName: string, dataType: DataType, open: number): void;
  /** An event was written to a stream. */
  sent(dataType: DataType): void;
  handled(call: HandledCall): void;
}
