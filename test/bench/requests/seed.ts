import postgres from "postgres";

/** Departments per account. The other accounts make the measured one a small part of the table. */
const DEPARTMENTS = 200;
const OTHER_ACCOUNTS = 50;

export interface Seeded {
  account: number;
  /** Ids of the measured account's departments; there are no gaps. */
  ids: { first: number; count: number };
}

/**
 * Fills a migrated database that has its first account: adds 50 accounts, and 200 departments in each of the 51. The first
 * department of each account is its main one.
 */
export async function seed(url: string): Promise<Seeded> {
  const sql = postgres(url, { max: 1 });
  try {
    await sql`insert into accounts (name) select 'Account ' || n from generate_series(1, ${OTHER_ACCOUNTS}) n`;
    await sql`
      insert into departments (
        account_id, name, name_folded, shortcut, description, phone, email, company_name, company_tax_no,
        company_street, company_street_number, company_post_code, company_city, company_country, company_website
      )
      select
        a.id, 'Department ' || lpad(n::text, 4, '0'), 'department ' || lpad(n::text, 4, '0'), 'D' || n,
        'Answers what the others ask, on working days from eight to four.', '+48 22 555 ' || lpad(n::text, 4, '0'),
        'department' || n || '@example.com', 'Example Company Ltd', 'PL' || 5260000000 + n,
        'Long Street', n::text, '00-001', 'Warsaw', 'Poland', 'https://example.com/departments/' || n
      from accounts a
      cross join generate_series(1, ${DEPARTMENTS}) n
      order by a.id, n
    `;
    await sql`
      update accounts a
      set
        main_department_id = (select min(id) from departments where account_id = a.id),
        departments_mode = 'restricted'
    `;
    await sql`
      insert into department_users (department_id, user_id)
      select d.id, u.id
      from departments d
      join users u on u.account_id = d.account_id
      where d.id % 4 = 0
    `;
    await sql`vacuum (freeze, analyze)`;
    const [row] = await sql<{ account: number; first: number; count: number }[]>`
      select account_id as account, min(id) as first, count(*)::int as count
      from departments
      where account_id = (select min(id) from accounts)
      group by account_id
    `;
    if (!row) throw new Error("nothing was seeded");
    return { account: row.account, ids: { first: row.first, count: row.count } };
  } finally {
    await sql.end();
  }
}
