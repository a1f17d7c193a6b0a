\set n :n + 1
\set seq :n * 2 + :client_id
\set dead :seq - 40
WITH mine AS (SELECT CASE WHEN :later::boolean THEN set_config('synchronous_commit', 'off', true) END, CASE WHEN :limited::boolean THEN set_config('transaction_timeout', :limit, true) END FROM tallystick_fence WHERE log_id = :log_id AND lane = :client_id AND epoch = :epoch AND (NOT :required::boolean OR current_setting('synchronous_standby_names') <> '') FOR NO KEY UPDATE), trim AS (DELETE FROM tallystick_batch USING mine WHERE log_id = :log_id AND seq >= :dead AND seq < :dead + 1) INSERT INTO tallystick_batch (log_id, seq, lane, epoch, durable, oldest, body) SELECT :log_id, :seq, :client_id, :epoch, :seq - 1, :dead + 1, :body FROM mine;
