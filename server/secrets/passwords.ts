/** Hashes passwords with scrypt (N=2^15, r=8, p=3, about 0.1 s each) and writes them as PHC strings. */
import { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { unavailable } from "../errors.ts";
import { createFairLimiter, LimiterFull } from "../fairness/fair_limiter.ts";

const LN = 15;
const R = 8;
const P = 3;
const BYTES = 32;
const AT_ONCE = 2;
const ENCODING = "base64";

/** Hashes and verifies passwords. Two at a time, because each takes 32 MiB. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** False if `stored` is null, after the same time as for a wrong password. */
  verify(password: string, stored: string | null): Promise<boolean>;
  /**
   * Runs one sign-in. Guesses at any rate thus use few connections of the database, and no sign-in waits for long.
   *
   * @throws {Refusal} 503 where too many others wait
   */
  signIn<T>(work: () => Promise<T>): Promise<T>;
}

/** Sign-ins in progress, and those that wait for them: with two hashes at a time the last one waits for a second or two. */
const SIGN_INS = { total: 4, waiting_per_account: 20 };
const RETRY_AFTER_S = 5;

/** @param ln the logarithm of N for new hashes. Tests have a small one. */
export function createPasswords(ln = LN): Passwords {
  const sign_ins = createFairLimiter(SIGN_INS);
  const limiter = createFairLimiter({ total: AT_ONCE });
  // All callers share one queue, because the account is unknown before the password is verified.
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const end = await limiter.acquire(0);
    try {
      return await work();
    } finally {
      end();
    }
  };
  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(16);
        return phc(ln, salt, await derive(password, salt, ln, R, P, BYTES));
      }),
    verify: (password, stored) =>
      inTurn(async () => {
        const { salt, hash, ...cost } = parse(stored) ?? { salt: Buffer.alloc(16), hash: null, ln, r: R, p: P };
        const derived = await derive(password, salt, cost.ln, cost.r, cost.p, hash?.length ?? BYTES);
        return hash !== null && timingSafeEqual(derived, hash);
      }),
    async signIn(work) {
      const end = await sign_ins.acquire(0).catch((error) => {
        if (!(error instanceof LimiterFull)) throw error;
        throw unavailable("Too many sign-ins at the moment: try again soon", undefined, RETRY_AFTER_S);
      });
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}

const phc = (ln: number, salt: Buffer, hash: Buffer) =>
  `$scrypt$ln=${ln},r=${R},p=${P}$${unpadded(salt)}$${unpadded(hash)}`;

const unpadded = (bytes: Buffer) => bytes.toString(ENCODING).replace(/=+$/, "");

function parse(stored: string | null) {
  const [, ln, r, p, salt, hash] = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? "") ?? [];
  if (!salt || !hash) return;
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, ENCODING),
    hash: Buffer.from(hash, ENCODING),
  };
}

const derive = (password: string, salt: Buffer, ln: number, r: number, p: number, length: number) =>
  new Promise<Buffer>((resolve, reject) =>
    scrypt(
      password.normalize("NFKC"),
      salt,
      length,
      { N: 2 ** ln, r, p, maxmem: 256 * 1024 * 1024 },
      (error, key) => error ? reject(error) : resolve(key),
    )
  );
