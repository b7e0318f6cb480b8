#include "app/rules_feed.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace onceward::app {

namespace asio = boost::asio;

RulesFeed::RulesFeed(proxy::PlanPtr plan) : plan_(std::move(plan)) {
    name_routes();
}

void RulesFeed::attach(proxy::Loop& loop) {
    series_.add_loop(loop.metrics);
    users_.push_back({&loop, nullptr});
    loop.pool.set_options(plan_->options.upstream, plan_->upstream_tls);
    loop.rules = rules_of(parts_for(users_.back()));
}

void RulesFeed::name_routes() {
    std::vector<std::string> names;
    for (const auto& route : plan_->options.routes) {
        names.push_back(route.name);
    }
    series_.configure(names);
}

const std::vector<std::string>& RulesFeed::route_names() {
    series_.forget(std::chrono::steady_clock::now());
    return series_.names();
}

RulesFeed::Parts RulesFeed::parts_for(User& user) {
    Parts parts{plan_, {}, &silence_.ring()};
    for (const auto& route : plan_->options.routes) {
        parts.route_metrics.push_back(user.loop->metrics.routes[series_.place_of(route.name)]);
    }
    // That one goes with its loop.
    parts.route_metrics.emplace_back(std::shared_ptr<void>{}, &user.loop->metrics.unmatched);
    if (plan_->options.log.access) {
        if (!access_log_) {
            access_log_.emplace(true);
        }
        if (user.ring == nullptr) {
            user.ring = &access_log_->ring();
        }
        parts.access = user.ring;
    }
    return parts;
}

proxy::RulesPtr RulesFeed::rules_of(Parts parts) {
    boost::intrusive_ptr<proxy::Rules> rules(new proxy::Rules);
    rules->plan = std::move(parts.plan);
    rules->route_metrics = std::move(parts.route_metrics);
    rules->access = parts.access;
    return rules;
}

Task<> RulesFeed::change(proxy::PlanPtr plan) {
    plan_ = std::move(plan);
    name_routes();
    series_.forget(std::chrono::steady_clock::now());
    auto& first = *users_.front().loop;
    net::Event all_changed(first.io);
    std::size_t left = users_.size();
    const auto count = [&left, &all_changed] {
        if (--left == 0) {
            all_changed.set();
        }
    };
    for (auto& user : users_) {
        auto& loop = *user.loop;
        asio::post(loop.io.get_executor(), [&loop, &first, count, parts = parts_for(user)]() mutable {
            loop.pool.set_options(parts.plan->options.upstream, parts.plan->upstream_tls);
            loop.store->set_password(parts.plan->options.store.redis.password);
            loop.rules = rules_of(std::move(parts));
            asio::post(first.io.get_executor(), count);
        });
    }
    co_await all_changed.wait();
    all_changed.take();
}

}  // namespace onceward::app
