// @ts-check
/// <reference path="./platform.d.ts" />

export class PlatformError extends Error {
  /**
   * @override
   * @type {"PlatformError"}
   */
  name = "PlatformError";

  /**
   * @param {string} message
   * @param {Partial<Pick<import("platform").PlatformError, import("platform").Detail>> & { cause?: unknown }} [details]
   */
  constructor(message, { status = 0, code = "unknown", fields, flow_process_id, retry_after, cause } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.flow_process_id = flow_process_id;
    this.retry_after = retry_after;
  }
}
